"""Stories with their names filled in, as the page, the cards and the files show them."""

from dataclasses import dataclass

from bedtime import casting, ledger, lettering, library
from bedtime.db import Connection
from bedtime.library import ShelfStory
from bedtime.model import Story


@dataclass(frozen=True, slots=True)
class StoryPage:
    """A story with its names filled in."""

    id: int
    title: str
    paragraphs: tuple[str, ...]
    language: str
    dir: str
    minutes: int
    told_by: str
    names: tuple[str, ...]
    cut_short: bool
    no_title: bool
    cost: int | None
    created_at: float
    bookmark: int | None
    part: int
    parts: tuple[tuple[int, int], ...]
    series: int | None
    favourite: bool
    again: bool
    reactions: tuple[str, ...]
    tale: str | None
    asked_in: str
    asked_minutes: int

    @property
    def much_shorter(self) -> bool:
        """A tale of the book that takes two thirds of the wished minutes or less."""
        return self.tale is not None and self.minutes * 3 <= self.asked_minutes * 2

    @property
    def halfway(self) -> bool:
        """Somebody began it and did not come to the end."""
        return self.bookmark is not None and 1 < self.bookmark < len(self.paragraphs)

    @property
    def last_part(self) -> int:
        return max((part for part, _ in self.parts), default=1)

    @property
    def words(self) -> int:
        return lettering.words_aloud("\n\n".join(self.paragraphs))


@dataclass(frozen=True, slots=True)
class Card:
    """A story on the shelf."""

    id: int
    title: str
    minutes: int
    told_by: str
    created_at: float
    read: bool
    halfway: bool
    favourite: bool
    part: int
    parts: int
    names: tuple[str, ...]
    held: bool
    hidden: bool


def story_page(db: Connection, story: Story, *, eyes: int) -> StoryPage:
    """`eyes` are whose page it is: of a series they see the parts that are for them."""
    who = library.names_of_many(db, [story.request_id]).get(story.request_id, [])
    names = {name.position: name.nickname for name in who}
    request = library.request_for(db, story.request_id)
    call = ledger.call_of(db, story.job_id)
    series = library.parts_of(db, story.series or story.id, eyes=eyes)
    return StoryPage(
        id=story.id,
        title=casting.fill(story.title, names),
        paragraphs=tuple(casting.fill(paragraph, names) for paragraph in story.paragraphs),
        language=story.language,
        dir=lettering.direction(story.language),
        minutes=story.minutes,
        told_by=story.told_by,
        names=tuple(name.nickname for name in who if name.listens),
        cut_short="cut_short" in story.flags,
        no_title="no_title" in story.flags,
        cost=call.spent_micros if call else None,
        created_at=story.created_at,
        bookmark=library.bookmark(db, story.id),
        part=story.part,
        parts=tuple(series) if len(series) > 1 else (),
        series=(story.series or story.id) if len(series) > 1 else None,
        favourite=story.favourite,
        again=library.wanted_again(db, story.id),
        reactions=tuple(library.reactions_to(db, story.id)),
        tale=story.tale,
        asked_in=request.wish.language if request else story.language,
        asked_minutes=request.wish.minutes if request else story.minutes,
    )


def cards(db: Connection, stories: list[ShelfStory]) -> list[Card]:
    """The cards of a page of the shelf, with one question for all their names."""
    names = library.names_of_many(db, [story.request_id for story in stories])
    return [
        Card(
            id=story.id,
            title=casting.fill(story.title, {n.position: n.nickname for n in names.get(story.request_id, [])}),
            minutes=story.minutes,
            told_by=story.told_by,
            created_at=story.created_at,
            read=story.read,
            halfway=story.halfway,
            favourite=story.favourite,
            part=story.part,
            parts=story.parts,
            names=tuple(n.nickname for n in names.get(story.request_id, []) if n.listens),
            held=story.held,
            hidden=story.hidden,
        )
        for story in stories
    ]
