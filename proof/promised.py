"""What a house promised in a run that was recorded, from when on, and whether a disk keeps it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from proof.found import Found
from proof.recording import Event, Said, Sync

_KNOWN = re.compile(rb'"job_id":(\d+),"status"')
_TOLD = re.compile(rb'"job_id":(\d+),"status":"completed"')
_KEY = re.compile(rb"a lamp with the number (\w+)")
_SPOOL = re.compile(r"/spool/(\d+)-\d+$")


@dataclass(frozen=True)
class Promise:
    """Something that nobody may forget any more from the event `number` on.

    `known`: a client was told of the job. `told`: that its story is ready. `sending`: its prompt was on the wire.
    `whole`: the file with its whole answer was synced.
    """

    number: int
    kind: str
    job_id: int


def promises(events: list[Event], jobs: dict[str, int]) -> list[Promise]:
    """What was said is a promise from the moment that its first byte went out: of an answer, that is its head.

    `jobs` are those of the client's log, by key; a key stands in the prompt.
    """
    found: list[Promise] = []
    heads: dict[int, int] = {}
    for number, event in enumerate(events):
        if isinstance(event, Sync) and (spool := _SPOOL.search(event.path)):
            found.append(Promise(number, "whole", int(spool[1])))
        if not isinstance(event, Said):
            continue
        if event.data.startswith((b"HTTP/1.1 ", b"POST ")):
            heads[event.thread] = number
        head = heads.get(event.thread, number)
        found += [Promise(head, kind, job) for kind, job in _said(event.data, jobs)]
    return found


def broken(given: list[Promise], number: int, found: Found) -> list[str]:
    """The promises given up to the event `number` that a disk does not keep, and what else is wrong with it."""
    given = [promise for promise in given if promise.number <= number]
    checks: dict[str, Callable[[int], str]] = {
        "known": lambda job: "" if job in found.jobs else f"job {job} was acknowledged and is lost",
        "told": lambda job: "" if job in found.told else f"job {job} was said to be told, and there is no story",
        "sending": lambda job: _forgotten(job, found, sum(p.kind == "sending" and p.job_id == job for p in given)),
        "whole": lambda job: "" if job in found.kept else f"job {job}: a whole answer was synced and is lost",
    }
    faults = dict.fromkeys(checks[promise.kind](promise.job_id) for promise in given)
    return [fault for fault in [*found.faults, *faults] if fault]


def _said(data: bytes, jobs: dict[str, int]) -> list[tuple[str, int]]:
    known = [("known", int(job)) for job in _KNOWN.findall(data)]
    told = [("told", int(job)) for job in _TOLD.findall(data)]
    sending = [("sending", jobs[key.decode()]) for key in _KEY.findall(data) if b'"messages"' in data]
    return known + told + sending


def _forgotten(job: int, found: Found, sent: int) -> str:
    if found.calls.get(job, 0) < sent:
        return f"job {job} was sent {sent} times, and the ledger knows of {found.calls.get(job, 0)}"
    return ""
