"""The log of a house, as a parent reads it: its lines, and what they say of a job."""

import re

from running import Running, eventually

CHANGE = re.compile(r"(?:INFO|WARNING) job=(\d+) status=(\w+)(.*)")


def lines(house: Running) -> list[str]:
    """The log without the frames of tracebacks, which follow a line with `bug=`."""
    return [line for line in house.log.read_text().splitlines() if not line.startswith("  ")]


def changes(house: Running, job_id: int) -> list[str]:
    """What the log says of a job: `status facts`, in order of its statuses (two processes may write at once)."""
    found = [CHANGE.search(line) for line in lines(house)]
    return [f"{one[2]}{one[3]}" for one in found if one and int(one[1]) == job_id]


def logged(house: Running, job_id: int, *wanted: str) -> None:
    """Each of the patterns is somewhere in what the log says of a job, and soon."""

    def all_there() -> bool:
        said = changes(house, job_id)
        return all(any(re.fullmatch(pattern, line) for line in said) for pattern in wanted)

    eventually(all_there, what=f"{wanted} of job {job_id} in {changes(house, job_id)}")
