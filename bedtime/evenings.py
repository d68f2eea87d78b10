"""Evenings: what a plan makes due within the hour is enqueued, once a date, whatever became of the last one."""

import datetime
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from bedtime import almanac, household, jobs, library
from bedtime.db import Connection, Database
from bedtime.errors import BedtimeError
from bedtime.library import Schedule
from bedtime.library.schedules import AHEAD_SECONDS
from bedtime.loop import log_bug
from bedtime.model import Child, Listener, Role, Wish

log = logging.getLogger("bedtime.evenings")

CATCH_UP_SECONDS = 12 * 3600.0
LATEST_BEGIN_SECONDS = 86_400.0  # a restore writes an hour from now, and its clock may be set right a moment later


@dataclass(frozen=True, slots=True)
class PlanRules:
    """Where a planned story's job goes, and how long after its time it may still be told (seconds), if nobody chose."""

    queue: str
    kind: str
    expiry_seconds: float


class Planner:
    """A step a minute. A planned story comes after those that somebody waits for."""

    SECONDS = 60.0

    def __init__(self, database: Database, rules: PlanRules, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._rules = rules
        self._clock = clock

    def step(self) -> bool:
        with self._database.reading() as db:
            schedules = library.schedules(db)
        for schedule in schedules:
            try:
                self._plan_due(schedule, now=self._clock())
            except BedtimeError:
                raise
            except Exception as error:  # a zone that this machine does not know any more: the others go on
                log_bug(log, f"schedule={schedule.id} planned=failed", error)
        return False

    def rest(self, wake: threading.Event) -> None:
        wake.wait(self.SECONDS)

    def _plan_due(self, schedule: Schedule, *, now: float) -> None:
        with self._database.reading() as db:
            due = _due(db, schedule, now=now)
        for date, at in due:
            self._plan(schedule, date, at, now=now)

    def _plan(self, schedule: Schedule, date: str, at: float, *, now: float) -> None:
        with self._database.transaction("plan") as tx:
            plan = next((one for one in library.schedules(tx) if one.id == schedule.id), None)
            if plan is None or (date, at) not in _due(tx, plan, now=now):
                return  # deleted, paused or planned a moment ago
            asked = library.known_key(tx, _key(plan, date))
            if asked is not None:  # before it was deleted, and came back with a backup
                library.add_planned(tx, plan.id, date, asked[0])
                return
            children = library.children_by_id(tx, plan.children)
            if not children:
                return
            lead_first = library.by_turn(tx, [children[one] for one in plan.children if one in children])
            job_id = self._enqueue(tx, plan, lead_first, date, at, now=now)
        log.info("job=%d status=pending schedule=%d date=%s", job_id, schedule.id, date)

    def _enqueue(
        self, tx: Connection, schedule: Schedule, children: list[Child], date: str, at: float, *, now: float
    ) -> int:
        wish = _wish(schedule, children, turn=library.count_planned(tx, schedule.id))
        name = _key(schedule, date)
        request_id = library.add_request(tx, wish, key=name, fingerprint=wish.fingerprint(), now=now)
        library.set_cast(tx, request_id, [Role(n, child.id, "", child.pronouns) for n, child in enumerate(children, 1)])
        job_id = jobs.enqueue(
            tx,
            self._rules.queue,
            self._rules.kind,
            {"request_id": request_id},
            now=now,
            expires_at=at + household.expiry_seconds(tx, otherwise=self._rules.expiry_seconds),
            dedupe_key=name,
        )
        assert job_id is not None  # the planned evening's own key would have refused it before
        library.set_first_job(tx, request_id, job_id)
        library.add_planned(tx, schedule.id, date, job_id)
        return job_id


def upcoming(schedule: Schedule, *, now: float) -> float | None:
    """When the next story of a plan is wanted; None while it is paused."""
    return None if schedule.paused else almanac.next_due(_plan_of(schedule), after=now)


def _due(db: Connection, schedule: Schedule, *, now: float) -> list[tuple[str, float]]:
    """Evenings within the hour, and at most one that was missed in the last 12 hours, not planned yet.

    A plan that begins later than anything that is written begins now: the clock was set back.
    """
    if schedule.paused:
        return []
    begins = schedule.since if schedule.since <= now + LATEST_BEGIN_SECONDS else now
    since = max(begins, now - CATCH_UP_SECONDS)
    found = almanac.due_dates(_plan_of(schedule), since=since, until=now + AHEAD_SECONDS)
    missed = [evening for evening in found if evening[1] <= now]
    coming = [evening for evening in found if evening[1] > now]
    open_evenings = [(date.isoformat(), at) for date, at in [*missed[-1:], *coming]]
    return [evening for evening in open_evenings if library.planned_on(db, schedule.id, evening[0]) is None]


def _key(schedule: Schedule, date: str) -> str:
    return f"evening {schedule.id} {date}"  # with spaces: a key that no client can choose


def _wish(schedule: Schedule, children: list[Child], *, turn: int) -> Wish:
    return Wish(
        children=tuple(Listener(child_id=child.id) for child in children),
        idea=schedule.themes[turn % len(schedule.themes)] if schedule.themes else "",
        minutes=schedule.minutes,
        mood=schedule.mood,
        language=schedule.language,
    )


def _plan_of(schedule: Schedule) -> almanac.Schedule:
    return almanac.Schedule(schedule.days, datetime.time.fromisoformat(schedule.at), schedule.zone)
