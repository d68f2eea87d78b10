"""How far a job is: what the waiting page and the API say, read in one snapshot."""

from collections.abc import Sequence
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
    def waits(self) -> bool:
        return self.job.status in ("pending", "running")


def progress(db: Connection, job_id: int) -> JobView | None:
    """None if there is no such job, or it tells no story."""
    job = jobs.get(db, job_id)
    return progress_of(db, [job]).get(job_id) if job else None


def progress_of(db: Connection, some: Sequence[Job]) -> dict[int, JobView]:
    """Each of the jobs that tells a story, with as many questions for all of them as for one."""
    requests = library.requests_by_id(db, [job.payload["request_id"] for job in some if "request_id" in job.payload])
    about = _about(db, [job for job in some if job.payload.get("request_id") in requests])
    return {job.id: _view(job, requests[job.payload["request_id"]], about) for job in about.jobs}


@dataclass(frozen=True, slots=True)
class _About:
    """What was asked for all the jobs together, by the job's id; names by the request's."""

    jobs: Sequence[Job]
    names: dict[int, dict[int, str]]
    calls: dict[int, Call]
    places: dict[int, int]
    tales: dict[str, int]
    stories: dict[int, int]
    successors: dict[int, int]
    paused: dict[str, tuple[str, str] | None]
    usual_seconds: float | None


def _about(db: Connection, some: Sequence[Job]) -> _About:
    """Nothing is asked that cannot be: a job that waits was not asked again, one that was never claimed has no call."""
    ids = [job.id for job in some]
    ended = [job.id for job in some if job.status not in ("pending", "running")]
    calls = ledger.calls_of(db, [job.id for job in some if job.attempts or job.status != "pending"])
    tales = jobs.all_planned(db, TELL_TALE, [library.tale_key(job_id) for job_id in ids])
    slots = library.names_of_many(db, [job.payload["request_id"] for job in some if job.id in calls])
    return _About(
        jobs=some,
        names={request_id: {slot.position: slot.nickname for slot in found} for request_id, found in slots.items()},
        calls=calls,
        places=jobs.places(db, ids),
        tales=tales,
        stories=library.stories_of_jobs(db, [*ended, *tales.values()]),
        successors=jobs.successors(db, ended),
        paused={queue: jobs.paused(db, queue) for queue in {job.queue for job in some if job.status == "pending"}},
        usual_seconds=ledger.usual_seconds(db) if any(_is_being_bought(job) for job in some) else None,
    )


def _view(job: Job, request: StoryRequest, about: _About) -> JobView:
    call = about.calls.get(job.id)
    tale_job_id = about.tales.get(library.tale_key(job.id))
    return JobView(
        job=job,
        request=request,
        names=tuple(child.nickname for child in request.children),
        place=about.places.get(job.id, 0),
        words=call.words if call else 0,
        draft=casting.fill(call.draft, about.names.get(request.id, {})) if call else "",
        story_id=about.stories.get(job.id),
        tale_job_id=tale_job_id,
        tale_story_id=about.stories.get(tale_job_id) if tale_job_id else None,
        successor=about.successors.get(job.id),
        paused=about.paused.get(job.queue) if job.status == "pending" else None,
        usual_seconds=about.usual_seconds if _is_being_bought(job) else None,
        cost_micros=_cost(call),
        cost_is_certain=call is not None and call.status == "settled",
    )


def _is_being_bought(job: Job) -> bool:
    return job.status == "running" and job.queue != BOOK


def _cost(call: Call | None) -> int | None:
    if call is None or call.status == "refused":
        return None
    return call.spent_micros if call.spent_micros is not None else call.reserved_micros
