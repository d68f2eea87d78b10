"""A `tell_tale` job: a tale from the built-in book, at once, free, and never the network."""

from dataclasses import replace

from bedtime import jobs, library
from bedtime.db import Connection
from bedtime.model import Job, StoryRequest
from bedtime.storytellers.book import BookTeller
from bedtime.telling import outcomes
from bedtime.telling.parts import Parts


class BookTelling:
    """The handler of `tell_tale`. Raises ClaimLost when somebody else has the job."""

    def __init__(self, parts: Parts, book: BookTeller) -> None:
        self._parts = parts
        self._book = book

    def __call__(self, job: Job) -> None:
        parts = self._parts
        with parts.database.reading() as db:
            request = library.request_for(db, job.payload["request_id"])
            slug = self._choose(db, request) if request and request.children else None
        if request is None or slug is None:
            text = "the request, or all of its children, are gone"
            return outcomes.fail(parts, job, code="refused", text=text)
        tale = self._book.tale(slug)
        draft = self._book.tell_again(slug, request.children)
        parts.observe("finish.parsed")
        with parts.database.transaction("finish") as tx:
            jobs.complete(tx, job, now=parts.clock())
            told = library.Told(by="book", place=tale.place, season=tale.season, tale=slug)
            library.add_story(tx, job, replace(request, shape=tale.shape), draft, told, now=parts.clock())
        jobs.say(job.id, "completed", tale=slug)

    def _choose(self, db: Connection, request: StoryRequest) -> str:
        """The next part of the tale that the wish goes on from, or the tale that suits best."""
        before = library.story(db, request.wish.continues) if request.wish.continues else None
        following = self._book.continues(before.tale) if before and before.tale else None
        told = library.book_tales(db, [child.id for child in request.children])
        return following or self._book.choose(request.wish, request.children, told).slug
