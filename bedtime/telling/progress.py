"""How far a job is: what the waiting page and the API say, read in one snapshot."""

from dataclasses import dataclass

from bedtime import casting, jobs, ledger, library
from bedtime.db import Connection
from bedtime.model import BOOK, TELL_TALE, Call, Job, StoryRequest


@dataclass(frozen=True, slots=True)
class JobView:
    """One job as a person may see it. `draft` is the text so far with names filled in; money in micros."""

    job: Job
    request: StoryRequest
    names: tuple[str, ...]
    place: int
    words: int
    draft: str
    story_id: int | None
    tale_job_id: int | None
    tale_story_id: int | None
    successor: int | None
    paused: tuple[str, str] | None
    usual_seconds: float | None
    cost_micros: int | None
    cost_is_certain: bool

    @property
    def expected_words(self) -> int:
        return self.request.wish.expected_words

    @property
    def is_book(self) -> bool:
        return self.job.queue == BOOK

    @property
    def may_cost_twice(self) -> bool:
        """Whether asking again may pay a second time: nobody knows what became of the call, or whether there was one."""
        code = self.job.error_code
        return code == "maybe_billed" or (code == "restored" and not self.is_book)

    @property
    def waits(self) -> bool:
        return self.job.status in ("pending", "running")


def progress(db: Connection, job_id: int) -> JobView | None:
    """None if there is no such job, or it tells no story."""
    job = jobs.get(db, job_id)
    request = library.request_for(db, job.payload["request_id"]) if job and "request_id" in job.payload else None
    if job is None or request is None:
        return None
    names = library.names_of(db, request.id)
    call = ledger.call_of(db, job.id)
    tale_job_id = jobs.planned(db, TELL_TALE, library.tale_key(job.id))
    return JobView(
        job=job,
        request=request,
        names=tuple(child.nickname for child in request.children),
        place=jobs.place(db, job),
        words=call.words if call else 0,
        draft=casting.fill(call.draft, names) if call else "",
        story_id=library.story_of_job(db, job.id),
        tale_job_id=tale_job_id,
        tale_story_id=library.story_of_job(db, tale_job_id) if tale_job_id else None,
        successor=jobs.successor(db, job.id),
        paused=jobs.paused(db, job.queue) if job.status == "pending" else None,
        usual_seconds=ledger.usual_seconds(db) if job.queue != BOOK else None,
        cost_micros=_cost(call),
        cost_is_certain=call is not None and call.status == "settled",
    )


def _cost(call: Call | None) -> int | None:
    if call is None or call.status == "refused":
        return None
    return call.spent_micros if call.spent_micros is not None else call.reserved_micros
