"""A row of `jobs` as a `Job`, and the proof that a claim still holds."""

import json

from bedtime.db import Cursor, Row
from bedtime.errors import ClaimLost
from bedtime.model import Job


def job_of(row: Row) -> Job:
    return Job(**{**dict(row), "payload": json.loads(row["payload"])})


def check_still_ours(job: Job, moved: Cursor) -> None:
    """Raises ClaimLost when the UPDATE moved no row: whatever the transaction wrote before rolls back with it."""
    if moved.rowcount != 1:
        raise ClaimLost(f"job {job.id}: claim {job.attempts} no longer holds")
