"""The built-in book on disk: each tale read, checked, and named with its mistakes if it has any."""

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from bedtime.model import BANDS
from bedtime.storytellers import slots

SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "lost-and-found": "a thing is lost and found",
        "sound-in-the-night": "a sound in the night is followed to its small cause",
        "cannot-sleep": "somebody cannot sleep and asks the others how they do it",
        "shy-one": "a shy one is met half-way",
        "long-way-home": "it is a long way home",
        "gift-to-make": "a gift has to be made",
        "mistake-put-right": "a mistake is put right",
        "guest": "a guest comes",
        "last-awake": "somebody is the last one awake",
        "swap": "two things are swapped",
        "night-watch": "somebody keeps watch in the night",
        "there-and-back": "a journey ends where it began",
    }
)
PLACES = (
    *("town", "house", "garden", "forest", "meadow", "mountain"),
    *("river", "sea", "harbour", "farm", "sky", "road"),
)
SEASONS = ("spring", "summer", "autumn", "winter", "any")
REQUIRED = ("title", "band", "minutes", "shape", "motifs", "place", "season", "cast")
OPTIONAL = (*slots.FURNISHED, "recap", "after")
CHOICES = {"band": BANDS, "shape": tuple(SHAPES), "place": PLACES, "season": SEASONS}
LARGEST_BYTES = 64 * 1024

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Tale:
    """One tale as its file has it; title, cast, recap and body hold slots. `after` is the slug of the part before."""

    slug: str
    title: str
    band: str
    minutes: int
    shape: str
    motifs: tuple[str, ...]
    place: str
    season: str
    cast: str
    defaults: Mapping[str, str] = field(hash=False)
    body: str
    recap: str = ""
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Book:
    """The tales without a mistake, by slug, and every mistake of the others as `file:line: what; remedy`."""

    tales: tuple[Tale, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Page:
    """A file taken apart: header fields with their lines, prose with the line it starts at, mistakes so far."""

    fields: dict[str, tuple[int, str]]
    body: str
    body_line: int
    faults: list[tuple[int, str]]


def load(folder: Path) -> Book:
    """Read every tale in the folder. One with a mistake is left out and named in `faults`; it never breaks the rest."""
    paths = sorted(path for path in folder.glob("*.md") if path.name != "README.md" and not path.name.startswith("."))
    if not paths:
        return Book((), (f"{folder.name}: no tale in it: expected files like the-sneeze-behind-the-bakery.md",))
    tales: dict[str, Tale] = {}
    faults: list[str] = []
    for path in paths:
        tale, mistakes = _read(path)
        faults += [f"{path.name}:{line}: {mistake}" for line, mistake in mistakes]
        if tale is not None:
            tales[tale.slug] = tale
    faults += _drop_loose_parts(tales)
    return Book(tuple(tales.values()), tuple(faults))


def _drop_loose_parts(tales: dict[str, Tale]) -> Iterator[str]:
    """Leave out each tale whose `after` leads to no first part."""
    firsts = {slug for slug, tale in tales.items() if tale.after is None}
    while more := {slug for slug, tale in tales.items() if tale.after in firsts} - firsts:
        firsts |= more
    for slug in sorted(tales.keys() - firsts):
        yield f"{slug}.md:1: after is '{tales.pop(slug).after}': expected the slug of a tale that can be told before it"


def _read(path: Path) -> tuple[Tale | None, list[tuple[int, str]]]:
    if not _SLUG.fullmatch(path.stem):
        return None, [
            (1, "unfit file name: expected small letters, digits and single hyphens, like a-long-way-home.md")
        ]
    try:
        raw = path.read_bytes()
        text = unicodedata.normalize("NFC", raw.decode("utf-8-sig"))
    except OSError as error:
        return None, [(1, f"cannot be read ({error.strerror}): make it a readable file or take it away")]
    except UnicodeDecodeError as error:
        return None, [(raw[: error.start].count(b"\n") + 1, "not UTF-8: save the file as UTF-8")]
    if len(raw) > LARGEST_BYTES:
        return None, [(1, f"{len(raw)} bytes: expected a tale of {LARGEST_BYTES} at most")]
    page = _take_apart(text.replace("\r\n", "\n"))
    faults = sorted({*page.faults, *_faults_of_header(page), *_faults_of_prose(page)})
    return (None if faults else _tale(path.stem, page)), faults


def _take_apart(text: str) -> _Page:
    header, _, body = re.sub(r"\n[ \t]+(?=\n)", "\n", text).partition("\n\n")
    page = _Page({}, body.strip(), header.count("\n") + 3 + _leading_lines(body), [])
    for line, content in enumerate(header.split("\n"), start=1):
        key, colon, value = content.partition(":")
        key, value = key.strip(), value.strip()
        if not colon or not value:
            page.faults.append(
                (line, f"'{content[:40]}' is no header line: expected 'title: …' and the like, with a value")
            )
        elif key not in (*REQUIRED, *OPTIONAL):
            near = difflib.get_close_matches(key, (*REQUIRED, *OPTIONAL), n=1)
            page.faults.append(
                (line, f"unknown header '{key}': {f'did you mean {near[0]}?' if near else 'take it out'}")
            )
        elif key in page.fields:
            page.faults.append((line, f"header '{key}' stands twice: keep one"))
        else:
            page.fields[key] = (line, value)
    return page


def _leading_lines(body: str) -> int:
    return len(body) - len(body.lstrip("\n"))


def _faults_of_header(page: _Page) -> Iterator[tuple[int, str]]:
    for key in REQUIRED:
        if key not in page.fields:
            yield 1, f"header '{key}' is missing: add a line '{key}: …'"
    for key, (line, value) in page.fields.items():
        if key in CHOICES and value not in CHOICES[key]:
            yield line, f"unknown {key} '{value}': expected one of {', '.join(CHOICES[key])}"
        if key == "minutes" and not re.fullmatch(r"[1-9]|1[0-5]", value):
            yield line, f"minutes is '{value}': expected a whole number from 1 to 15"
        if key in ("title", "cast", "recap"):
            yield from ((line, fault) for _, fault in slots.faults(value))
        elif "{" in value or "}" in value:
            yield line, f"a slot in header '{key}': only title, cast and recap may hold one"


def _faults_of_prose(page: _Page) -> Iterator[tuple[int, str]]:
    if not page.body:
        yield page.body_line, "no prose: expected one blank line after the header, then the tale"
    for offset, fault in slots.faults(page.body):
        yield page.body_line + page.body.count("\n", 0, offset), fault
    everything = "\n".join((page.body, *(value for _, value in page.fields.values())))
    for slot in sorted(slots.used(everything) - page.fields.keys()):
        yield 1, f"{{{slot}}} is used but has no default: add a line '{slot}: …'"


def _tale(slug: str, page: _Page) -> Tale:
    values = {key: value for key, (_, value) in page.fields.items()}
    return Tale(
        slug=slug,
        minutes=int(values["minutes"]),
        motifs=tuple(motif.strip() for motif in values["motifs"].split(",") if motif.strip()),
        defaults=MappingProxyType({slot: values[slot] for slot in slots.FURNISHED if slot in values}),
        body=page.body,
        recap=values.get("recap", ""),
        after=values.get("after"),
        **{key: values[key] for key in ("title", "band", "shape", "place", "season", "cast")},
    )
