"""Wishes written down, and the children in them."""

from collections.abc import Sequence
from dataclasses import dataclass

from bedtime.db import Connection, Row, listed
from bedtime.library.children import child_of
from bedtime.model import Child, Listener, Role, StoryRequest, Wish

DELETED = "a child"


@dataclass(frozen=True, slots=True)
class Name:
    """Who has a slot in a story, by the name to show."""

    position: int
    nickname: str
    listens: bool


def known_key(db: Connection, key: str) -> tuple[int, str] | None:
    """The first job and the fingerprint of the request with this idempotency key."""
    row = db.execute(
        "SELECT job_id, fingerprint FROM story_requests WHERE idempotency_key = :key", {"key": key}
    ).fetchone()
    return None if row is None else (row["job_id"], row["fingerprint"])


def next_request_id(db: Connection) -> int:
    """The id that the next request will have: none is ever deleted."""
    row = db.execute("SELECT coalesce(max(id), 0) + 1 AS id FROM story_requests").fetchone()
    return int(row["id"])


def add_request(tx: Connection, wish: Wish, *, key: str, fingerprint: str, now: float) -> int:
    """The request's id. Its job and its cast are added by the same transaction."""
    rows = tx.execute(
        """
        INSERT INTO story_requests (idempotency_key, fingerprint, idea, today, minutes, mood, lesson, language, continues,
                                    created_at)
        VALUES (:key, :fingerprint, :idea, :today, :minutes, :mood, :lesson, :language, :continues, :now)
        RETURNING id
        """,
        {
            "key": key,
            "fingerprint": fingerprint,
            "idea": wish.idea,
            "today": wish.today,
            "minutes": wish.minutes,
            "mood": wish.mood,
            "lesson": wish.lesson,
            "language": wish.language,
            "continues": wish.continues,
            "now": now,
        },
    ).fetchall()
    return int(rows[0]["id"])


def set_asker(tx: Connection, request_id: int, device_id: int) -> None:
    """Which device asked."""
    tx.execute(
        "UPDATE story_requests SET device_id = :device_id WHERE id = :id", {"id": request_id, "device_id": device_id}
    )


def jobs_asked_by(db: Connection, device_id: int, *, since: float, until: float) -> list[int]:
    """The first job of each wish that a device asked for, from `since` to `until`, both included."""
    rows = db.execute(
        """
        SELECT job_id
          FROM story_requests
         WHERE device_id = :device_id AND created_at BETWEEN :since AND :until AND job_id IS NOT NULL
        """,
        {"device_id": device_id, "since": since, "until": until},
    ).fetchall()
    return [int(row["job_id"]) for row in rows]


def set_first_job(tx: Connection, request_id: int, job_id: int) -> None:
    tx.execute(
        "UPDATE story_requests SET job_id = :job_id WHERE id = :id AND job_id IS NULL",
        {"id": request_id, "job_id": job_id},
    )


def set_shape(tx: Connection, request_id: int, shape: str) -> None:
    """What kind of story it will be, as the telling chose it."""
    tx.execute("UPDATE story_requests SET shape = :shape WHERE id = :id", {"id": request_id, "shape": shape})


def set_cast(tx: Connection, request_id: int, roles: Sequence[Role]) -> None:
    """Who has which slot in the story of this request, and which stand-in when it is sent."""
    tx.executemany(
        """
        INSERT INTO casts (request_id, position, child_id, stand_in, pronouns, listens)
        VALUES (:request_id, :position, :child_id, :stand_in, :pronouns, :listens)
            ON CONFLICT (request_id, position)
            DO UPDATE SET child_id = excluded.child_id, stand_in = excluded.stand_in, pronouns = excluded.pronouns,
                          listens = excluded.listens
        """,
        [
            {
                "request_id": request_id,
                "position": role.position,
                "child_id": role.child_id,
                "stand_in": role.stand_in,
                "pronouns": role.pronouns,
                "listens": int(role.listens),
            }
            for role in roles
        ],
    )


def request_for(db: Connection, request_id: int) -> StoryRequest | None:
    """The request with the children who listen, lead first; a deleted one has left."""
    return requests_by_id(db, [request_id]).get(request_id)


def requests_by_id(db: Connection, request_ids: Sequence[int]) -> dict[int, StoryRequest]:
    """Those of them that there are."""
    ids = listed(request_ids)
    rows = db.execute(
        "SELECT * FROM story_requests WHERE id IN (SELECT value FROM json_each(:ids))", {"ids": ids}
    ).fetchall()
    listening = _listening(db, ids)
    return {row["id"]: _request(row, tuple(listening.get(row["id"], []))) for row in rows}


def cast_of(db: Connection, request_id: int) -> list[Role]:
    rows = db.execute("SELECT * FROM casts WHERE request_id = :id ORDER BY position", {"id": request_id}).fetchall()
    return [
        Role(row["position"], row["child_id"], row["stand_in"], row["pronouns"], listens=bool(row["listens"]))
        for row in rows
    ]


def names_of(db: Connection, request_id: int) -> dict[int, str]:
    """Position → nickname, to fill the slots with; a deleted child is `a child`."""
    return {name.position: name.nickname for name in names_of_many(db, [request_id]).get(request_id, [])}


def names_of_many(db: Connection, request_ids: Sequence[int]) -> dict[int, list[Name]]:
    """For each of the requests, who has which slot."""
    if not request_ids:
        return {}
    rows = db.execute(
        """
        SELECT request_id, position, listens, coalesce(nickname, :deleted) AS nickname
          FROM casts LEFT JOIN children ON children.id = casts.child_id
         WHERE request_id IN (SELECT value FROM json_each(:ids))
         ORDER BY request_id, position
        """,
        {"ids": listed(request_ids), "deleted": DELETED},
    ).fetchall()
    names: dict[int, list[Name]] = {}
    for row in rows:
        names.setdefault(row["request_id"], []).append(Name(row["position"], row["nickname"], bool(row["listens"])))
    return names


def listening_names(db: Connection, request_id: int) -> tuple[str, ...]:
    """The nicknames of those it was told to, lead first."""
    return tuple(name.nickname for name in names_of_many(db, [request_id]).get(request_id, []) if name.listens)


def _listening(db: Connection, request_ids: str) -> dict[int, list[Child]]:
    rows = db.execute(
        """
        SELECT children.*, casts.request_id
          FROM casts JOIN children ON children.id = casts.child_id
         WHERE request_id IN (SELECT value FROM json_each(:ids)) AND listens = 1
         ORDER BY request_id, position
        """,
        {"ids": request_ids},
    ).fetchall()
    listening: dict[int, list[Child]] = {}
    for row in rows:
        listening.setdefault(row["request_id"], []).append(child_of(row))
    return listening


def _request(row: Row, children: tuple[Child, ...]) -> StoryRequest:
    wish = Wish(
        children=tuple(Listener(child_id=child.id) for child in children),
        idea=row["idea"],
        today=row["today"],
        minutes=row["minutes"],
        mood=row["mood"],
        lesson=row["lesson"],
        language=row["language"],
        continues=row["continues"],
    )
    return StoryRequest(row["id"], row["job_id"], wish, children, row["shape"], row["created_at"])
