"""What is sent to a provider: the least that OpenAI-compatible servers agree on, since some refuse an unknown field."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import requests

from bedtime.errors import Closed, SettingsError
from bedtime.model import Prompt
from bedtime.values import NOT_EXTRA


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where stories are bought. `url` goes up to and with `/v1`.

    `extra` is merged into the request last; what is None in it is left out. Raises SettingsError if it sets what the
    ledger counts on.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    max_tokens_field: str = "max_tokens"
    extra: Mapping[str, object] = field(default_factory=dict)
    connect_seconds: float = 5
    first_byte_seconds: float = 120
    idle_seconds: float = 60
    total_seconds: float = 300

    def __post_init__(self) -> None:
        for name in self.extra:
            if name in NOT_EXTRA or name == self.max_tokens_field:
                raise SettingsError(
                    f"BEDTIME_LLM_EXTRA sets {name!r}: expected nothing that Bedtime sets itself, or that can raise the price"
                )
        try:
            json.dumps(dict(self.extra), allow_nan=False)
        except (TypeError, ValueError):
            raise SettingsError("BEDTIME_LLM_EXTRA holds what JSON cannot say: expected a JSON object") from None

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def extra_bytes(self) -> int:
        """How much of the request is not the prompt: a schema, say, is read by the model, and paid for."""
        return len(_json(self.extra).encode("utf-8", "replace")) if self.extra else 0


def request(endpoint: Endpoint, prompt: Prompt, *, observe: Callable[[str], None]) -> requests.PreparedRequest:
    """The one POST, ready to be sent; `observe` hears `call.sent`. Raises Closed if these settings make no request."""
    fields: dict[str, object] = {
        "model": endpoint.model,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "stream": True,
        "stream_options": {"include_usage": True},
        endpoint.max_tokens_field: prompt.max_tokens,
    } | dict(endpoint.extra)
    sent = _json({name: value for name, value in fields.items() if value is not None})
    body = _Body(sent.encode("utf-8", "replace"), observe)
    url = endpoint.url.rstrip("/") + "/chat/completions"
    try:
        return requests.Request("POST", url, headers=_headers(endpoint.key), data=body).prepare()
    except (requests.RequestException, ValueError):
        raise Closed(
            "BEDTIME_LLM_URL cannot be called: expected http:// or https://, a host, a path up to /v1",
            reason="storyteller",
        ) from None


def _json(fields: Mapping[str, object]) -> str:
    return json.dumps(dict(fields), ensure_ascii=False)


def _headers(key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "bedtime"}
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise Closed(
            "BEDTIME_LLM_KEY holds a space, or a letter that cannot be sent: expected visible ASCII", reason="key"
        )
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


class _Body(io.BytesIO):
    """The body of the request: whoever reads its end has handed all of it to the socket."""

    def __init__(self, body: bytes, observe: Callable[[str], None]) -> None:
        super().__init__(body)
        self._observe = observe

    def read(self, size: int | None = -1, /) -> bytes:
        part = super().read(size)
        if not part:
            self._observe("call.sent")
        return part
