"""What is set at the machine: read once, checked whole, frozen; the environment wins over `instance/settings.toml`."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bedtime import values
from bedtime.errors import SettingsError
from bedtime.settings.layers import PREFIX, Layer, environment, key_file, settings_file


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting. Spans in seconds, prices in micro-units per million tokens; `sources` says where each came from."""

    host: str
    port: int
    hosts: tuple[str, ...]
    instance: Path
    llm_url: str | None
    llm_model: str | None
    llm_key: str | None = field(repr=False)
    llm_max_tokens: int | None
    llm_max_tokens_field: str
    llm_extra: dict[str, object] = field(repr=False)
    llm_connect_seconds: float
    llm_first_byte_seconds: float
    llm_idle_seconds: float
    llm_total_seconds: float
    price_in_micros: int | None
    price_out_micros: int | None
    monthly_cap_micros: int
    currency: str
    queue_max: int
    workers: int
    max_failures: int
    lease_seconds: float
    reap_seconds: float
    expiry_hours: float
    send_names: bool
    network_disk: bool
    log_level: str
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: its name without the prefix, how it is read, its default in the words of the environment."""

    name: str
    read: Callable[[str], Any]
    default: str | None
    attribute: str = ""
    shown: bool = True


TABLE = (
    Setting("HOST", values.listening_host, "127.0.0.1"),
    Setting("PORT", values.whole(0, 65535), "5000"),
    Setting("HOSTS", values.origins, ""),
    Setting("LLM_URL", values.endpoint, None),
    Setting("LLM_MODEL", values.line, None),
    Setting("LLM_KEY", values.key, None, shown=False),
    Setting("LLM_MAX_TOKENS", values.whole(1, 1_000_000), None),
    Setting("LLM_MAX_TOKENS_FIELD", values.one_of("max_tokens", "max_completion_tokens"), "max_tokens"),
    Setting("LLM_EXTRA", values.extra, "{}", shown=False),
    Setting("LLM_CONNECT_SECONDS", values.span(3600), "5"),
    Setting("LLM_FIRST_BYTE_SECONDS", values.span(3600), "120"),
    Setting("LLM_IDLE_SECONDS", values.span(3600), "60"),
    Setting("LLM_TOTAL_SECONDS", values.span(3600), "300"),
    Setting("PRICE_IN", values.micros(1_000_000), None, "price_in_micros"),
    Setting("PRICE_OUT", values.micros(1_000_000), None, "price_out_micros"),
    Setting("MONTHLY_CAP", values.micros(1_000_000), "5.00", "monthly_cap_micros"),
    Setting("CURRENCY", values.currency, "USD"),
    Setting("QUEUE_MAX", values.whole(1, 1000), "8"),
    Setting("WORKERS", values.whole(1, 8), "1"),
    Setting("MAX_FAILURES", values.whole(1, 100), "6"),
    Setting("LEASE_SECONDS", values.whole(1, 86_400, unit="whole seconds"), "60"),
    Setting("REAP_SECONDS", values.span(3600), "15"),
    Setting("EXPIRY_HOURS", values.span(8760, unit="hours"), "12"),
    Setting("SEND_NAMES", values.yes_or_no, "no"),
    Setting("NETWORK_DISK", values.yes_or_no, "no"),
    Setting("LOG_LEVEL", values.one_of("debug", "info", "warning", "error"), "info"),
)
NAMES = frozenset(setting.name for setting in TABLE)
TOGETHER = (
    ("LLM_URL", "LLM_MODEL", "set both for an LLM, or neither for the built-in book"),
    ("PRICE_IN", "PRICE_OUT", "set both, or neither for the price that Bedtime knows"),
)


def from_machine(root: Path) -> Settings:
    """The settings of this process; raises SettingsError. Nothing else reads the environment."""
    return load(os.environ, root=root)


def load(environ: Mapping[str, str], *, root: Path) -> Settings:
    """All settings, or SettingsError with the first that is wrong. Tightens a key's file that others could read."""
    instance = _instance(environ, root)
    layers = (
        environment(environ, names=NAMES),
        settings_file(instance / "settings.toml", names=NAMES),
        key_file(instance / "llm_key"),
    )
    found: dict[str, Any] = {}
    sources = {"instance": "environment" if environ.get("BEDTIME_INSTANCE", "").strip() else "default"}
    for setting in TABLE:
        layer = next((layer for layer in layers if layer.texts.get(setting.name)), None)
        attribute = setting.attribute or setting.name.lower()
        sources[attribute] = layer.source if layer else "default"
        found[setting.name] = _read(setting, layer)
    _check_together(found)
    named = {setting.attribute or setting.name.lower(): found[setting.name] for setting in TABLE}
    return Settings(instance=instance, sources=sources, **named)


def _instance(environ: Mapping[str, str], root: Path) -> Path:
    text = environ.get("BEDTIME_INSTANCE", "").strip() or "instance"
    if text.startswith("~"):
        raise SettingsError(f"BEDTIME_INSTANCE is {text!r}: expected a folder written out, without ~")
    return root / text


def _read(setting: Setting, layer: Layer | None) -> Any:
    text = layer.texts[setting.name] if layer else setting.default
    if text is None:
        return None
    try:
        return setting.read(text)
    except ValueError as error:
        called = layer.called(setting.name) if layer else setting.name
        raise SettingsError(f"{called} is {_shown(setting, text)}: expected {error}") from None


def _shown(setting: Setting, text: str) -> str:
    """The value as a message may show it: a URL with a user or a query may hold a password."""
    hidden = not setting.shown or set("@?#") & set(text)
    return "not shown here" if hidden else repr(text if len(text) <= 80 else text[:80] + "…")


def _check_together(found: Mapping[str, Any]) -> None:
    for first, second, advice in TOGETHER:
        if (found[first] is None) != (found[second] is None):
            there, missing = (first, second) if found[second] is None else (second, first)
            raise SettingsError(f"{PREFIX}{there} is set and {PREFIX}{missing} is not: {advice}")
