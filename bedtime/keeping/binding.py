"""A story as files, with its names filled in: text, a web page, a book, its picture."""

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from bedtime import covers, epub, lettering
from bedtime.model import Story

TEMPLATES = Path(__file__).parent.parent.parent / "templates"

_pages = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True)
_pages.filters["pieces"] = lettering.pieces
_pages.tests["scene_break"] = lettering.is_break


def bound(story: Story, plain: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Each kind of file with its content; `plain` has the title, the paragraphs and the names as they are read."""
    drawing = covers.cover(story.id, shape=story.shape, place=story.place, season=story.season)
    yield "svg", drawing.encode()
    yield "txt", "\n\n".join([plain["title"], *plain["paragraphs"], ""]).encode()
    yield "html", _page(plain, drawing).encode()
    yield (
        "epub",
        epub.book(
            plain["title"],
            plain["paragraphs"],
            language=story.language,
            identifier=f"urn:bedtime:story:{story.id}:{int(story.created_at)}",
            author="Bedtime",
            cover_svg=drawing,
            modified=story.created_at,
        ),
    )


def _page(plain: Mapping[str, Any], drawing: str) -> str:
    """The same page as the one that is offered beside a story."""
    cover = "data:image/svg+xml;base64," + base64.b64encode(drawing.encode()).decode()
    shown = {**plain, "names": plain["children"], "dir": lettering.direction(plain["language"])}
    return _pages.get_template("stories/file.html").render(story=shown, cover=cover)
