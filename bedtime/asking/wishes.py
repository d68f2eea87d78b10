"""A wish of a reader's device becomes a request, by one press of a grown-up."""

from dataclasses import replace

from bedtime import household, jobs, library
from bedtime.asking.asks import Asked, AskRules, check_room, write_down
from bedtime.db import Connection, Database
from bedtime.errors import NotFound


def ask_for(database: Database, wish_id: int, *, rules: AskRules, now: float) -> Asked:
    """Request, job and the wish's answer in one transaction; pressed twice it is one. In the household's language.

    Raises QueueFull, NotFound (the wish, or a child of it, is gone, or it was answered with no), Namesakes: it stays open.
    """
    with database.transaction("ask_for") as tx:
        wished = library.wished(tx, wish_id)
        if wished is None:
            raise NotFound(f"there is no wish {wish_id}")
        if wished.decided_at is not None:
            return _answered(tx, wished)
        check_room(tx, rules.queue, rules.queue_max)
        wish = replace(wished.wish, language=household.language(tx))
        request_id, job_id = write_down(tx, wish, key=_key(wish_id), rules=rules, now=now)
        library.decide_wish(tx, wish_id, request_id=request_id, now=now)
    jobs.say(job_id, "pending", queue=rules.queue, wish=wish_id)
    return Asked(job_id, replayed=False)


def _answered(tx: Connection, wished: library.Wished) -> Asked:
    known = library.known_key(tx, _key(wished.id))
    if known is None:
        raise NotFound(f"wish {wished.id} was set aside")
    return Asked(known[0], replayed=True)


def _key(wish_id: int) -> str:
    return f"wish {wish_id}"  # with a space: a key that no client can choose
