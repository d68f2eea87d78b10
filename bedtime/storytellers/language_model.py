"""The storyteller that costs money: a language model behind an OpenAI-compatible server."""

from collections.abc import Callable
from dataclasses import dataclass

from bedtime import llm, prices
from bedtime.errors import Closed
from bedtime.model import Price, Prompt
from bedtime.settings import Settings
from bedtime.values import is_private

BELIEVED_TIMES = 20


@dataclass(frozen=True)
class LanguageModel:
    """One model at one server. `price` is None where nobody knows it: then nothing is sent."""

    endpoint: llm.Endpoint
    price: Price | None
    observe: Callable[[str], None]
    monotonic: Callable[[], float]
    currency: str = prices.TABLE_CURRENCY

    @property
    def model(self) -> str:
        return self.endpoint.model

    @property
    def host(self) -> str:
        return self.endpoint.host

    @property
    def deadline_seconds(self) -> float:
        return self.endpoint.total_seconds

    def worst_case(self, prompt: Prompt) -> int:
        """The most that telling this can cost, in micros. Raises Closed while the price is not known."""
        if self.price is None:
            raise Closed(
                f"the price of {self.model} is not known: set BEDTIME_PRICE_IN and BEDTIME_PRICE_OUT", reason="price"
            )
        return prices.worst_case(prompt, self.price, extra_bytes=self.endpoint.extra_bytes)

    def tell(self, prompt: Prompt, *, keep: Callable[[bytes], None], on_text: Callable[[str], None]) -> llm.Answer:
        """Exactly one POST; `keep` gets every byte before anything looks at it. Raises what `llm.post` raises."""
        return llm.post(
            self.endpoint, prompt, keep=keep, on_text=on_text, observe=self.observe, monotonic=self.monotonic
        )

    def cost(self, answer: llm.Answer, *, reserved_micros: int) -> int | None:
        """What the provider says that it used, in micros; None if it says nothing, or what cannot be true.

        More than was reserved is believed, up to BELIEVED_TIMES: a server that ignores the limit on tokens bills them.
        An answer by another model than was asked for costs what the dearer of both does.
        """
        if self.price is None or answer.tokens_in is None or answer.tokens_out is None:
            return None
        if prices.cost(answer.tokens_in, answer.tokens_out, self.price) > reserved_micros * BELIEVED_TIMES:
            return None
        price = prices.price_of_answer(self.price, asked=self.model, answered=answer.model, currency=self.currency)
        return prices.cost(answer.tokens_in, answer.tokens_out, price)


def language_model(
    settings: Settings, *, observe: Callable[[str], None], monotonic: Callable[[], float]
) -> LanguageModel | None:
    """The one that is set; None: the built-in book tells."""
    if settings.llm_url is None or settings.llm_model is None:
        return None
    endpoint = llm.Endpoint(
        url=settings.llm_url,
        model=settings.llm_model,
        key=settings.llm_key,
        max_tokens_field=settings.llm_max_tokens_field,
        extra=settings.llm_extra,
        connect_seconds=settings.llm_connect_seconds,
        first_byte_seconds=settings.llm_first_byte_seconds,
        idle_seconds=settings.llm_idle_seconds,
        total_seconds=settings.llm_total_seconds,
    )
    price = prices.price_of(
        settings.llm_model,
        private_host=is_private(endpoint.host),
        override=_own_price(settings),
        currency=settings.currency,
    )
    return LanguageModel(endpoint, price, observe, monotonic, settings.currency)


def _own_price(settings: Settings) -> Price | None:
    if settings.price_in_micros is None or settings.price_out_micros is None:
        return None
    return Price(settings.price_in_micros, settings.price_out_micros)
