"""A `tell_tale` job: a tale from the built-in book, at once, free, and never the network."""

from dataclasses import replace

from bedtime import casting, jobs, library
from bedtime.db import Connection
from bedtime.model import Draft, Job, StoryRequest
from bedtime.storytellers.book import BookTeller
from bedtime.storytellers.tales import Tale
from bedtime.telling import outcomes
from bedtime.telling.parts import Parts

LANGUAGE = "en"  # that all tales are written in


class BookTelling:
    """The handler of `tell_tale`. Raises ClaimLost when somebody else has the job."""

    def __init__(self, parts: Parts, book: BookTeller) -> None:
        self._parts = parts
        self._book = book

    def __call__(self, job: Job) -> None:
        parts = self._parts
        with parts.database.reading() as db:
            request = library.request_for(db, job.payload["request_id"])
            slug, goes_on = self._choose(db, request) if request and request.children else (None, False)
            places = [role.position for role in library.cast_of(db, job.payload["request_id"]) if role.child_id]
        if request is None or slug is None:
            text = "the request, or all of its children, are gone"
            return outcomes.fail(parts, job, code="refused", text=text)
        tale = self._book.tale(slug)
        draft = _in_their_places(self._book.tell_again(slug, request.children), places)
        parts.observe("finish.parsed")
        with parts.database.transaction("finish") as tx:
            jobs.complete(tx, job, now=parts.clock())
            told = library.Told(by="book", place=tale.place, season=tale.season, tale=slug)
            library.add_story(tx, job, _as_told(request, tale, goes_on=goes_on), draft, told, now=parts.clock())
        jobs.say(job.id, "completed", tale=slug)

    def _choose(self, db: Connection, request: StoryRequest) -> tuple[str, bool]:
        """The next part of the tale that the wish goes on from (and True), or the tale that suits best."""
        before = library.story(db, request.wish.continues) if request.wish.continues else None
        following = self._book.continues(before.tale) if before and before.tale else None
        told = library.book_tales(db, [child.id for child in request.children])
        return following or self._book.choose(request.wish, request.children, told).slug, following is not None


def _in_their_places(draft: Draft, places: list[int]) -> Draft:
    """The book counts who listens from 1 on; a deleted child has left its place in the request, and nobody moves up."""
    slots = {number: f"{{child:{place}}}" for number, place in enumerate(places, start=1)}
    title, recap, cast, *paragraphs = (
        casting.fill(text, slots) for text in (draft.title, draft.recap, draft.cast, *draft.paragraphs)
    )
    return replace(draft, title=title, recap=recap, cast=cast, paragraphs=tuple(paragraphs))


def _as_told(request: StoryRequest, tale: Tale, *, goes_on: bool) -> StoryRequest:
    """The request as the book fulfils it: in its own language, and as a part of a series only where it has that part."""
    wish = replace(request.wish, language=LANGUAGE, continues=request.wish.continues if goes_on else None)
    return replace(request, wish=wish, shape=tale.shape)
