"""A `tell_tale` job: a tale from the built-in book, at once, free, and never the network."""

import logging

from bedtime import jobs, library
from bedtime.errors import NotFound
from bedtime.model import Job
from bedtime.storytellers.book import BookTeller
from bedtime.telling import outcomes
from bedtime.telling.parts import Parts

log = logging.getLogger("bedtime.telling")


class BookTelling:
    """The handler of `tell_tale`. Raises ClaimLost when somebody else has the job."""

    def __init__(self, parts: Parts, book: BookTeller) -> None:
        self._parts = parts
        self._book = book

    def __call__(self, job: Job) -> None:
        parts = self._parts
        with parts.database.reading() as db:
            request = library.request_for(db, job.payload["request_id"])
            told = library.book_tales(db, [child.id for child in request.children]) if request else []
        if request is None or not request.children:
            error = NotFound(f"the request of job {job.id} is gone")
            return outcomes.fail(parts, job, code="refused", text=str(error))
        tale, draft = self._book.tell(request.wish, request.children, told)
        parts.observe("finish.parsed")
        with parts.database.transaction("finish") as tx:
            jobs.complete(tx, job, now=parts.clock())
            library.add_story(tx, job, request, draft, told_by="book", tale=tale, now=parts.clock())
        log.info("job=%d status=completed tale=%s", job.id, tale)
