"""Somebody who buys from the provider of the tests and writes down what the wire tells."""

import time
from dataclasses import dataclass, field, replace

import pytest
from provider import Provider

from bedtime import llm
from bedtime.errors import ProviderError
from bedtime.model import Prompt

KEY = "canary-key-7f3a9"
PROMPT = Prompt(
    system="You tell quiet stories for the night.", user="name: Ottoline\nidea: a shy dragon", max_tokens=900
)


@dataclass
class Buyer:
    provider: Provider
    kept: list[bytes] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    @property
    def raw(self) -> bytes:
        return b"".join(self.kept)

    def buy(self, mode: str = "ok", **seconds: float) -> llm.Answer:
        self.provider.set_mode(mode)
        return self.post(replace(llm.Endpoint(self.provider.url, "test", KEY), **seconds))  # type: ignore[arg-type]

    def fails(self, mode: str, **seconds: float) -> ProviderError:
        """What buying raised."""
        with pytest.raises(ProviderError) as caught:
            self.buy(mode, **seconds)
        return caught.value

    def fails_at(self, url: str, **seconds: float) -> ProviderError:
        """What buying somewhere else raised."""
        with pytest.raises(ProviderError) as caught:
            self.post(replace(llm.Endpoint(url, "test", KEY), **seconds))  # type: ignore[arg-type]
        return caught.value

    def post(self, endpoint: llm.Endpoint) -> llm.Answer:
        return llm.post(
            endpoint,
            PROMPT,
            keep=self.kept.append,
            on_text=self.texts.append,
            observe=self.steps.append,
            monotonic=time.monotonic,
        )
