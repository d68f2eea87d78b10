"""Profiles of children, changed and deleted with all that hangs on them; notes and plans of the family."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from bedtime import jobs, ledger, library
from bedtime.db import Connection, Database
from bedtime.model import Child

MOST_WAITING = 2000
PROFILE = tuple(column.name for column in fields(Child) if column.name != "id")  # what a grown-up may change


@dataclass(frozen=True, slots=True)
class Leaving:
    """What deleting a child would take along: their stories that nobody else listened to, wishes that still wait."""

    child: Child
    stories: int
    waiting: int


def leaving(db: Connection, child_id: int) -> Leaving | None:
    """None if there is no such child."""
    child = library.children_by_id(db, [child_id]).get(child_id)
    if child is None:
        return None
    return Leaving(child, len(library.stories_of_child_alone(db, child_id)), len(_waiting(db, child_id)))


def delete_child(database: Database, child_id: int, *, with_stories: bool, now: float) -> None:
    """The profile, its wishes' words, and if asked its stories; what waits for it and was not sent is cancelled.

    Raw answers made with this child leave at once, since names may have been sent. Names leave the write-ahead log too;
    copies in backups stay until they are pruned.
    """
    with database.transaction("delete_child") as tx:
        for job_id in _waiting(tx, child_id):
            jobs.cancel(tx, job_id, now=now)
        if with_stories:
            for story_id in library.stories_of_child_alone(tx, child_id):
                library.delete_story(tx, story_id)
        library.delete_wishes_of_child(tx, child_id)
        library.delete_child(tx, child_id)
        requests = library.forget_stand_ins(tx, being_told=jobs.running_payloads(tx, "request_id"))
        ledger.forget_raw_of(tx, jobs.of_payload(tx, "request_id", requests))
    database.checkpoint()


def add_child(database: Database, child: Child, *, now: float) -> int:
    """Pressed twice it is one profile: two that are alike in everything could not be told apart."""
    with database.transaction("add_child") as tx:
        there = next((one.id for one in library.all_children(tx) if replace(one, id=0) == replace(child, id=0)), None)
        if there is not None:
            return there
        child_id = library.add_child(tx, nickname=child.nickname, band=child.band, pronouns=child.pronouns, now=now)
        library.update_child(tx, replace(child, id=child_id))
        return child_id


def change_child(database: Database, child: Child, changed: Iterable[str] = PROFILE) -> bool:
    """What was `changed` of the profile becomes as it is in `child`. False if it is gone."""
    with database.transaction("change_child") as tx:
        there = library.children_by_id(tx, [child.id]).get(child.id)
        if there is None:
            return False
        return library.update_child(tx, replace(there, **{name: getattr(child, name) for name in changed}))


def _waiting(db: Connection, child_id: int) -> Sequence[int]:
    """Unfinished jobs of wishes that this child alone listens to."""
    requests = library.requests_of_child(db, child_id, alone=True)
    return [job.id for job in jobs.unfinished(db, most=MOST_WAITING) if job.payload.get("request_id") in requests]
