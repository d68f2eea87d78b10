"""How far a job is, as the waiting page, its fragment and the list of Tonight show it."""

from dataclasses import dataclass

from bedtime import jobs
from bedtime.db import Connection
from bedtime.telling import JobView

PEEK_CHARACTERS = 240
TITLE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Paused:
    """Why a queue tells nothing now."""

    queue: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class JobPage:
    """A job as the waiting page, its fragment and the list of Tonight show it."""

    job_id: int
    status: str
    title: str
    names: tuple[str, ...]
    place: int
    words: int
    expected_words: int
    peek: str
    saved_text: str
    error_code: str | None
    error_text: str | None
    story_id: int | None
    tale_job_id: int | None
    tale_story_id: int | None
    successor: int | None
    paused: Paused | None
    waits_because: str | None
    usual_seconds: float | None
    elapsed_seconds: float
    poll_seconds: int
    expires_at: float | None
    cost: int | None
    is_book: bool
    can_cancel: bool
    can_ask_again: bool
    may_cost_twice: bool

    @property
    def fraction(self) -> float:
        return 1.0 if self.status == "completed" else min(self.words / max(self.expected_words, 1), 1.0)


def job_page(view: JobView, *, now: float) -> JobPage:
    job = view.job
    ended = job.status in ("failed", "cancelled")
    return JobPage(
        job_id=job.id,
        status=job.status,
        title=title_of(view.request.wish.idea),
        names=view.names,
        place=view.place,
        words=view.words,
        expected_words=view.expected_words,
        peek=_tail(view.draft),
        saved_text=view.draft if job.status == "failed" else "",
        error_code=job.error_code,
        error_text=job.error_text if ended else None,
        story_id=view.story_id,
        tale_job_id=view.tale_job_id,
        tale_story_id=view.tale_story_id,
        successor=view.successor,
        paused=Paused(job.queue, *view.paused) if view.paused else None,
        waits_because=job.error_code if job.status == "pending" else None,
        usual_seconds=view.usual_seconds,
        elapsed_seconds=max(now - job.claimed_at, 0.0) if job.claimed_at else 0.0,
        poll_seconds=poll_seconds(view, now=now),
        expires_at=job.expires_at,
        cost=view.cost_micros,
        is_book=view.is_book,
        can_cancel=view.waits and job.sent_at is None,
        can_ask_again=ended and view.successor is None and bool(view.names),
        may_cost_twice=job.may_cost_twice,
    )


def poll_seconds(view: JobView, *, now: float) -> int:
    """How soon to look again: often while something moves, seldom while nothing can."""
    if view.job.status == "running" or (view.place <= 1 and not view.paused):
        return 2
    return 15 if view.paused else 5


def title_of(idea: str) -> str:
    """The short form of an idea."""
    if not idea:
        return "A surprise"
    return idea if len(idea) <= TITLE_CHARACTERS else idea[:TITLE_CHARACTERS].rsplit(" ", 1)[0] + "…"


def paused_queue(db: Connection, queue: str) -> Paused | None:
    why = jobs.paused(db, queue)
    return None if why is None else Paused(queue, *why)


def _tail(text: str) -> str:
    """The end of a text from a word's start, short enough for a poll."""
    line = " ".join(text.split())
    return line if len(line) <= PEEK_CHARACTERS else "…" + line[-PEEK_CHARACTERS:].split(" ", 1)[-1]
