"""A request and its job in one transaction."""

from dataclasses import dataclass, replace

from bedtime import household, jobs, ledger, library
from bedtime.db import Connection, Database
from bedtime.errors import KeyReused, Namesakes, NotFound, OverDailyCap, QueueFull
from bedtime.model import BOOK, PRIORITY_OF_PEOPLE, TELL_TALE, Child, Listener, Role, Wish

DAY_SECONDS = 86400


@dataclass(frozen=True, slots=True)
class AskRules:
    """What an ask obeys: where its job goes, how many may wait there, the machine's word on how long one waits (seconds)."""

    queue: str
    kind: str
    queue_max: int
    expiry_seconds: float


@dataclass(frozen=True, slots=True)
class Asker:
    """The device that asks: what it may spend within a day (None: the month's cap only), and what this may cost at most."""

    device_id: int
    daily_cap_micros: int | None = None
    worst_case_micros: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """The job that tells the wish; `replayed` if the idempotency key was known."""

    job_id: int
    replayed: bool


def ask(database: Database, wish: Wish, *, key: str, rules: AskRules, now: float, asker: Asker | None = None) -> Asked:
    """Write the wish down together with its job: when this returns, both are on the disk.

    Raises KeyReused (a known key with other fields), QueueFull, OverDailyCap, NotFound (a child or a story that is gone),
    Namesakes; nothing is written then, and the key is not used up.
    """
    if wish.from_book:
        rules = replace(rules, queue=BOOK, kind=TELL_TALE)
    with database.transaction("enqueue") as tx:
        known = library.known_key(tx, key)
        if known is not None:
            return _replay(known, wish.fingerprint())
        check_room(tx, rules.queue, rules.queue_max)
        if asker is not None and not wish.from_book:
            _check_daily_cap(tx, asker, now=now)
        request_id, job_id = write_down(tx, wish, key=key, rules=rules, now=now)
        if asker is not None:
            library.set_asker(tx, request_id, asker.device_id)
    jobs.say(job_id, "pending", queue=rules.queue)
    return Asked(job_id, replayed=False)


def write_down(tx: Connection, wish: Wish, *, key: str, rules: AskRules, now: float) -> tuple[int, int]:
    """The request and its job, by their ids. Raises NotFound, Namesakes."""
    children = _profiles(tx, wish, now=now)
    request_id = library.add_request(tx, wish, key=key, fingerprint=wish.fingerprint(), now=now)
    library.set_cast(tx, request_id, _listeners(children))
    job_id = _enqueue(tx, request_id, rules, now=now)
    library.set_first_job(tx, request_id, job_id)
    return request_id, job_id


def check_room(tx: Connection, queue: str, most: int) -> None:
    """Raises QueueFull where no more may wait."""
    if jobs.count_waiting(tx, queue, most=most) >= most:
        raise QueueFull(f"{most} wishes wait already")


def _replay(known: tuple[int, str], fingerprint: str) -> Asked:
    job_id, first_fingerprint = known
    if first_fingerprint != fingerprint:
        raise KeyReused(job_id)
    return Asked(job_id, replayed=True)


def _check_daily_cap(tx: Connection, asker: Asker, *, now: float) -> None:
    """What this device's asks of a day have cost or may still cost, with this one, against what it was allowed.

    One of up to a day ahead counts as well, for the clock was set back; one of farther ahead does not.
    """
    cap, worst_case = asker.daily_cap_micros, asker.worst_case_micros
    if cap is None or worst_case == 0:
        return
    asked = library.jobs_asked_by(tx, asker.device_id, since=now - DAY_SECONDS, until=now + DAY_SECONDS)
    if sum(_committed(tx, job_id, worst_case) for job_id in asked) + worst_case > cap:
        raise OverDailyCap(f"device {asker.device_id} may spend {cap} micros within a day, and this could be more")


def _committed(tx: Connection, job_id: int, worst_case: int) -> int:
    """What a job has cost, or what is set aside for it; the worst case while nothing was sent and something may be."""
    call, job = ledger.call_of(tx, job_id), jobs.get(tx, job_id)
    if call is not None and call.status != "refused":
        return call.reserved_micros if call.spent_micros is None else call.spent_micros
    return worst_case if job is not None and job.status in ("pending", "running") else 0


def _enqueue(tx: Connection, request_id: int, rules: AskRules, *, now: float) -> int:
    job_id = jobs.enqueue(
        tx,
        rules.queue,
        rules.kind,
        {"request_id": request_id},
        now=now,
        expires_at=now + household.expiry_seconds(tx, otherwise=rules.expiry_seconds),
        priority=PRIORITY_OF_PEOPLE,
    )
    assert job_id is not None  # only a dedupe key can make it None
    return job_id


def _profiles(tx: Connection, wish: Wish, *, now: float) -> list[Child]:
    """The children of a wish as profiles, whose turn it is to lead first: known ones by id, new ones remembered."""
    if wish.continues is not None and library.story(tx, wish.continues) is None:
        raise NotFound(f"there is no story {wish.continues} to continue")
    ids = [_profile(tx, listener, now=now) for listener in wish.children]
    found = library.children_by_id(tx, ids)
    missing = [child_id for child_id in ids if child_id not in found]
    if missing:
        raise NotFound(f"there is no child {missing[0]}")
    children = [found[child_id] for child_id in dict.fromkeys(ids)]
    if len({child.nickname.casefold() for child in children}) < len(children):
        raise Namesakes("two of the children have the same nickname")
    return library.by_turn(tx, children)


def _profile(tx: Connection, listener: Listener, *, now: float) -> int:
    if listener.child_id is not None:
        return listener.child_id
    fields = {"nickname": listener.nickname, "band": listener.band, "pronouns": listener.pronouns}
    known = library.find_child(tx, **fields)
    return known if known is not None else library.add_child(tx, **fields, now=now)


def _listeners(children: list[Child]) -> list[Role]:
    return [Role(position, child.id, "", child.pronouns) for position, child in enumerate(children, start=1)]
