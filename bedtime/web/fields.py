"""Single values as they come in: text without what nobody sees, whole numbers, languages, idempotency keys."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

BIGGEST = 2**63 - 1  # what SQLite keeps as an integer
LONGEST_PATH = 2000
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,19}", re.ASCII)
_VISIBLE = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')  # a string of structured fields, RFC 9651
_JOINERS = "\u200c\u200d"  # scripts and emoji are spelled with them
_FORMATS = {"Cc", "Cf", "Cs", "Co", "Cn"}


def clean(text: str) -> str:
    """NFC; white space becomes single spaces; control, bidi and private characters and lone surrogates are dropped."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    seen = "".join(char for char in spaced if char in _JOINERS or unicodedata.category(char) not in _FORMATS)
    return unicodedata.normalize("NFC", " ".join(seen.split()))


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, which blank lines part; each line cleaned by itself."""
    lines = [clean(line) for line in text.split("\n")]
    blocks = "\n".join(lines).split("\n\n")
    return [block for block in (each.strip("\n") for each in blocks) if block]


def whole(value: Any) -> int | None:
    """A whole number from 0 that SQLite can keep, from JSON or from a form; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value)
    return value if isinstance(value, int) and 0 <= value <= BIGGEST else None


def shown_before(form: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """What the page showed in these fields when it was made, by its `was_…`: whoever pressed has chosen what differs, and
    nothing else of a page that stood open for long.
    """
    return {name: form[f"was_{name}"] for name in names if f"was_{name}" in form}


def own_path(text: str) -> str | None:
    """A path of ours, to go on to; None for anything that could lead elsewhere."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    ours = text.startswith("/") and not text.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return text if ours and text.isprintable() and len(text) <= LONGEST_PATH else None


def path_in(address: str) -> str:
    """Path and query of a whole address; "" if it is none."""
    try:
        url = urlsplit(address)
    except ValueError:
        return ""
    return f"{url.path}?{url.query}" if url.query else url.path


def language(text: str) -> str | None:
    """A BCP 47 tag in its usual case (`pt-BR`), or None if it isn't one."""
    if not _LANGUAGE.fullmatch(text):
        return None
    first, *rest = text.split("-")
    return "-".join([first.lower(), *(part.upper() if len(part) == 2 else part for part in rest)])


def idempotency_key(header: str | None, hidden: object) -> str | None:
    """The key of a request: quoted as the IETF draft has it, or bare; None unless there is exactly one good one.

    https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
    """
    given = [key for key in (None if header is None else _unquoted(header.strip()), hidden) if key is not None]
    if not given or given[0] != given[-1]:
        return None
    key = given[0]
    return key if isinstance(key, str) and _VISIBLE.fullmatch(key) else None


def _unquoted(header: str) -> str:
    """The key itself; nothing, which is no key, for a quote that is not closed or not alone."""
    if not header.startswith('"'):
        return header
    quoted = _QUOTED.fullmatch(header)
    return re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else ""
