"""A story as a book file: EPUB 3, written by hand, the same bytes for the same story."""

import datetime
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from bedtime.lettering import direction, is_break, pieces

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.ASCII | re.IGNORECASE)
_DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ALWAYS = (1980, 1, 1, 0, 0, 0)
_CONTAINER = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>\n'
)
_STYLE = (
    "body { font-family: serif; line-height: 1.5; margin: 5%; }\n"
    "h1 { font-weight: 500; line-height: 1.2; }\n"
    "p { margin: 0 0 0.8em; }\n"
    ".cover { margin: 0 0 2em; text-align: center; }\n"
    ".cover img { height: auto; max-height: 90vh; max-width: 100%; }\n"
)


def book(
    title: str,
    paragraphs: Sequence[str],
    *,
    language: str,
    identifier: str,
    author: str,
    cover_svg: str,
    modified: float,
) -> bytes:
    """The whole file. `identifier` is a URN that stays the story's own, `modified` unix seconds.

    Title, paragraphs and author are text, whatever is in them; *asterisks* stress. Characters that a book cannot hold are
    dropped, empty paragraphs too. Member names and times are fixed and nothing is compressed, so that equal stories give
    equal bytes. `cover_svg` is a drawing of ours and goes in as it is.
    """
    facts = _Facts(
        title=_text(title) or "…",
        paragraphs=tuple(text for text in map(_text, paragraphs) if text),
        language=language if _LANGUAGE.fullmatch(language) else "und",
        identifier=_text(identifier),
        author=_text(author),
        modified=datetime.datetime.fromtimestamp(modified, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "book/package.opf": _package(facts),
        "book/nav.xhtml": _nav(facts),
        "book/story.xhtml": _story(facts),
        "book/style.css": _STYLE,
        "book/cover.svg": cover_svg,
    }
    return _zipped(members)


@dataclass(frozen=True, slots=True)
class _Facts:
    """Everything that the members are filled with, fit to stand in XML."""

    title: str
    paragraphs: tuple[str, ...]
    language: str
    identifier: str
    author: str
    modified: str

    @property
    def direction(self) -> str:
        return direction(self.language)


def _package(facts: _Facts) -> str:
    creator = f"<dc:creator>{facts.author}</dc:creator>" if facts.author else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" '
        f'xml:lang="{facts.language}" dir="{facts.direction}">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">{facts.identifier}</dc:identifier><dc:title>{facts.title}</dc:title>{creator}'
        f'<dc:language>{facts.language}</dc:language><meta property="dcterms:modified">{facts.modified}</meta></metadata>'
        '<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="story" href="story.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="style" href="style.css" media-type="text/css"/>'
        '<item id="cover" href="cover.svg" media-type="image/svg+xml" properties="cover-image"/></manifest>'
        f'<spine page-progression-direction="{facts.direction}"><itemref idref="story"/></spine></package>\n'
    )


def _nav(facts: _Facts) -> str:
    return _page(facts, f'<nav epub:type="toc"><ol><li><a href="story.xhtml">{facts.title}</a></li></ol></nav>')


def _story(facts: _Facts) -> str:
    author = f'<p class="author">{facts.author}</p>' if facts.author else ""
    told = "\n".join("<hr/>" if is_break(text) else f"<p>{_stressed(text)}</p>" for text in facts.paragraphs)
    cover = '<div class="cover"><img src="cover.svg" alt=""/></div>'
    return _page(facts, f"{cover}<h1>{facts.title}</h1>{author}\n{told}")


def _page(facts: _Facts, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
        f'lang="{facts.language}" xml:lang="{facts.language}" dir="{facts.direction}">'
        f'<head><title>{facts.title}</title><link rel="stylesheet" href="style.css"/></head>\n<body>{body}</body></html>\n'
    )


def _stressed(text: str) -> str:
    return "".join(f"<em>{piece}</em>" if stressed else piece for piece, stressed in pieces(text))


def _text(text: str) -> str:
    """One line of text that XML can hold, escaped for an element."""
    return escape(" ".join(_DROPPED.sub("", text).split()))


def _zipped(members: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _ALWAYS)
            member.create_system, member.external_attr = 3, 0o644 << 16
            archive.writestr(member, content.encode())
    return file.getvalue()
