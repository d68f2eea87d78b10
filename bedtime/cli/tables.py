"""Queues and jobs as lines of text, without a name or a wish."""

import datetime
from collections.abc import Iterator, Sequence

from bedtime import prices
from bedtime.jobs import QueueNow, Times
from bedtime.model import Job
from bedtime.telling import JobView, message, why_paused


def queue_table(queues: Sequence[tuple[QueueNow, Times | None]], *, now: float) -> str:
    """Counts and usual times, then why a paused queue is paused."""
    rows = [("queue", "pending", "running", "failed", "oldest waits", "usual", "95 of 100 within")]
    for one, times in queues:
        oldest = "" if one.oldest_pending_at is None else span(now - one.oldest_pending_at)
        taken = (span(times.mean), span(times.slow)) if times else ("", "")
        rows.append((one.name, str(one.pending), str(one.running), str(one.failed), oldest, *taken))
    paused = [
        f"{one.name} is paused ({one.paused_reason}): {_why(one)}" for one, _ in queues if one.paused_at is not None
    ]
    return "\n".join([*_lines(rows), *paused])


def job_table(jobs: Sequence[Job], *, now: float) -> str:
    rows = [("job", "queue", "status", "reason", "asked", "after")]
    for job in jobs:
        after = f"asks job {job.retry_of} again" if job.retry_of else ""
        rows.append(
            (str(job.id), job.queue, job.status, job.error_code or "", f"{span(now - job.created_at)} ago", after)
        )
    return "\n".join(_lines(rows))


def job_lines(view: JobView, *, currency: str) -> Iterator[str]:
    """One job, a fact a line."""
    job = view.job
    yield f"Job {job.id}: {message(view)}"
    yield f"  status      {job.status}" + (f" ({job.error_code})" if job.error_code else "")
    yield f"  queue       {job.queue}" + (f", number {view.place}" if view.place else "")
    yield f"  words       {view.words} of about {view.expected_words}"
    yield f"  attempts    {job.attempts}, failures {job.failures}"
    yield f"  asked       {moment(job.created_at)}"
    if job.completed_at is not None:
        yield f"  ended       {moment(job.completed_at)}"
    elif job.expires_at is not None:
        yield f"  expires     {moment(job.expires_at)}"
    if view.cost_micros is not None:
        yield f"  cost        {'' if view.cost_is_certain else 'at most '}{prices.money(view.cost_micros, currency)}"
    if job.error_text:
        yield f"  because     {job.error_text}"
    if view.story_id is not None:
        yield f"  story       /stories/{view.story_id}"
    if job.retry_of is not None:
        yield f"  asks again  job {job.retry_of}"
    if view.successor is not None:
        yield f"  asked again as job {view.successor}"


def moment(at: float) -> str:
    """On the wall of this machine."""
    return datetime.datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")


def span(seconds: float) -> str:
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {name}"
    return f"{max(int(seconds), 0)} s"


def _why(one: QueueNow) -> str:
    detail = f" [{one.paused_detail}]" if one.paused_detail else ""
    return f"{why_paused(one.paused_reason or '')}{detail}"


def _lines(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
