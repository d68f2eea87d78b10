"""A row of `jobs` as a `Job`, and the proof that a claim still holds."""

import json

from bedtime.db import Cursor, Row
from bedtime.errors import ClaimLost
from bedtime.model import Job


def job_of(row: Row) -> Job:
    """A Job has the columns of the table, in their order."""
    job_id, queue, kind, payload, *rest = row
    return Job(job_id, queue, kind, json.loads(payload), *rest)


def check_still_ours(job: Job, moved: Cursor) -> None:
    """Raises ClaimLost when the UPDATE moved no row: whatever the transaction wrote before rolls back with it."""
    if moved.rowcount != 1:
        raise ClaimLost(f"job {job.id}: claim {job.attempts} no longer holds")
