"""What people write, read whole or refused: numbers, money, addresses. Each ValueError ends the sentence "expected …"."""

import ipaddress
import json
import re
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

MICROS = 1_000_000

_LIMITS = {"max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "num_predict", "n_predict"}
_OURS = frozenset({"model", "messages", "stream", "stream_options", "n", "best_of"} | _LIMITS)
_DEARER = frozenset({
    "models", "route",  # billed as the model that told it: https://openrouter.ai/docs/guides/routing/model-fallbacks
    "fallbacks",  # the same elsewhere: https://docs.litellm.ai/docs/proxy/client_side_fallbacks
    "preset",  # may hold other models, and tools: https://openrouter.ai/docs/guides/features/presets
    "plugins", "tools", "web_search_options",  # may search, for money: https://openrouter.ai/docs/guides/features/server-tools
    "service_tier",  # twice the price and more: https://openai.com/api-priority-processing
    "speed", "inference_geo",  # dearer too: https://platform.claude.com/docs/en/about-claude/pricing
    "cache_control",  # to write costs more than to read: https://openrouter.ai/docs/features/prompt-caching
})  # fmt: skip
# Not `provider`: the table has the dearest of those that serve a model, and OpenRouter may choose that one unasked.
NOT_EXTRA = _OURS | _DEARER

_HOME_NETWORKS = tuple(
    ipaddress.ip_network(block)
    for block in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
)
_HOME_NAMES = ("localhost", "local", "lan", "home.arpa")
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?", re.ASCII)
_NUMBER_AT_THE_END = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)\.?", re.ASCII)
_PORTS = {"http": 80, "https": 443}


def is_private(host: str) -> bool:
    """Whether a host stands at home by its name alone: loopback, RFC 1918 and RFC 4193 addresses, .local, .lan, .home.arpa."""
    address = _address(host)
    if address is not None:
        return any(address in network for network in _HOME_NETWORKS)
    name = host.lower().rstrip(".")
    return any(name == home or name.endswith("." + home) for home in _HOME_NAMES)


def endpoint(text: str) -> str:
    """A provider's base URL without its trailing slash: https, or http at home; it can carry no secret and leads nowhere else."""
    url, host = _split(text)
    if url.path.rstrip("/").endswith("/completions"):
        raise ValueError("the address up to and with /v1, without /chat/completions")
    if url.scheme == "http" and not is_private(host):
        raise ValueError("https:// for a server outside the house")
    return text.rstrip("/")


def origins(text: str) -> tuple[str, ...]:
    """Whole origins as a browser writes them (scheme://host[:port]), divided by commas or spaces."""
    return tuple(dict.fromkeys(_origin(part) for part in re.split(r"[,\s]+", text) if part))


def listening_host(text: str) -> str:
    """An address or a name to listen on."""
    if _address(text) is None and not _is_name(text.lower()):
        raise ValueError("an address or a name without a port, such as 127.0.0.1 or 0.0.0.0")
    return text


def whole(low: int, high: int, *, unit: str = "a whole number") -> Callable[[str], int]:
    """Reads whole numbers from `low` to `high`."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,18}", text, re.ASCII) or int(text) < low:
            raise ValueError(f"{unit}, {low} or more")
        if int(text) > high:
            raise ValueError(f"{unit}, {low} to {high}")
        return int(text)

    return read


def span(high: int, *, unit: str = "seconds") -> Callable[[str], float]:
    """Reads a time above 0 and up to `high`, in `unit`."""

    def read(text: str) -> float:
        if not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text, re.ASCII) or not 0 < float(text) <= high:
            raise ValueError(f"{unit}, more than 0 and at most {high}")
        return float(text)

    return read


def micros(high: int) -> Callable[[str], int]:
    """Reads decimal money from 0 to `high` as whole micro-units, exactly."""

    def read(text: str) -> int:
        found = re.fullmatch(r"(\d{1,9})(?:\.(\d{1,6}))?", text, re.ASCII)
        amount = int(found[1]) * MICROS + int((found[2] or "").ljust(6, "0")) if found else -1
        if not 0 <= amount <= high * MICROS:
            raise ValueError(f"a decimal such as 5.00, from 0 to {high}, with at most 6 decimals")
        return amount

    return read


def one_of(*words: str) -> Callable[[str], str]:
    """Reads one of a few words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(" or ".join(words))
        return text

    return read


def yes_or_no(text: str) -> bool:
    """Reads `yes` or `no`."""
    return one_of("yes", "no")(text) == "yes"


def currency(text: str) -> str:
    """A code of ISO 4217."""
    if not re.fullmatch(r"[A-Z]{3}", text):
        raise ValueError("three capital letters, such as USD")
    return text


def line(text: str) -> str:
    """One printable line, such as a model's name."""
    if not text.isprintable() or len(text) > 200:
        raise ValueError("one line of at most 200 characters")
    return text


def key(text: str) -> str:
    """What fits into an Authorization header."""
    if not re.fullmatch(r"[!-~]{1,4096}", text):
        raise ValueError("one line of visible ASCII characters without spaces")
    return text


def extra(text: str) -> dict[str, object]:
    """A JSON object of fields to send along, none of which the reservation, the price or the reading of the answer hangs on."""
    try:
        fields = dict(json.loads(text, parse_constant=_no_constant).items())
    except (ValueError, AttributeError, RecursionError):
        raise ValueError('a JSON object, such as {"temperature": 0.9}') from None
    if taken := sorted(_OURS & fields.keys()):
        raise ValueError(f"a JSON object without {', '.join(taken)}, which Bedtime sets itself")
    if dearer := sorted(_DEARER & fields.keys()):
        raise ValueError(
            f"a JSON object without {', '.join(dearer)}, since a story could cost more than is set aside for it: leave it "
            "out, and name the one model that is to tell in BEDTIME_LLM_MODEL"
        )
    return fields


def _split(text: str) -> tuple[SplitResult, str]:
    if not re.fullmatch(r"[!-~]+", text) or not text.lower().startswith(("http://", "https://")):
        raise ValueError("an address that starts with https:// or http://, without spaces")
    if set("@?#\\") & set(text):
        raise ValueError("an address without a user name, a question mark or a fragment")
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError:
        raise ValueError("an address with a host, and a port from 0 to 65535") from None
    return url, _checked_host(url.hostname or "")


def _checked_host(host: str) -> str:
    address = _address(host)
    if address is None and not _is_name(host):
        raise ValueError("a host's name or its address in full")
    if address is not None and address.is_link_local:
        raise ValueError("an address that is not link-local")
    return host


def _origin(text: str) -> str:
    url, host = _split(text)
    if url.path:
        raise ValueError("whole origins without a path, such as https://story.home, divided by commas")
    port = "" if url.port in (None, _PORTS[url.scheme]) else f":{url.port}"
    return f"{url.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _is_name(host: str) -> bool:
    """A last part of digits is an address in an old spelling (127.1, 0x7f000001), which hides where it leads."""
    return len(host) <= 253 and bool(_NAME.fullmatch(host)) and not _NUMBER_AT_THE_END.fullmatch(host)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _no_constant(name: str) -> None:
    raise ValueError(name)
