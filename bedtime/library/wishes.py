"""What a reader's device wished, and nobody has bought: children by id, an idea, a mood."""

import json
from dataclasses import dataclass

from bedtime.db import Connection, Row
from bedtime.model import Listener, Wish


@dataclass(frozen=True, slots=True)
class Wished:
    """A wish that was left with the grown-ups. `device_id` is None once the device was signed out."""

    id: int
    device_id: int | None
    wish: Wish
    created_at: float
    decided_at: float | None
    request_id: int | None

    @property
    def children(self) -> tuple[int, ...]:
        return tuple(child.child_id for child in self.wish.children if child.child_id is not None)


def add_wish(tx: Connection, wish: Wish, *, device_id: int | None, now: float) -> int:
    rows = tx.execute(
        "INSERT INTO wishes (device_id, fields, created_at) VALUES (:device_id, :fields, :now) RETURNING id",
        {"device_id": device_id, "fields": fields_of(wish), "now": now},
    ).fetchall()
    return int(rows[0]["id"])


def fields_of(wish: Wish) -> str:
    """A wish as it is kept."""
    children = [child.child_id for child in wish.children]
    return json.dumps({"children": children, "idea": wish.idea, "mood": wish.mood}, ensure_ascii=False)


def wished(db: Connection, wish_id: int) -> Wished | None:
    row = db.execute("SELECT * FROM wishes WHERE id = :id", {"id": wish_id}).fetchone()
    return None if row is None else _wished(row)


def open_wishes(db: Connection, *, most: int) -> list[Wished]:
    """What no grown-up has answered yet, the oldest first."""
    rows = db.execute(
        "SELECT * FROM wishes WHERE decided_at IS NULL ORDER BY id LIMIT :most", {"most": most}
    ).fetchall()
    return [_wished(row) for row in rows]


def all_wishes(db: Connection) -> list[Wished]:
    """What was answered too, the oldest first."""
    return [_wished(row) for row in db.execute("SELECT * FROM wishes ORDER BY id").fetchall()]


def open_wishes_of(db: Connection, device_id: int | None) -> list[Wished]:
    """Those of one device, the newest first."""
    rows = db.execute(
        "SELECT * FROM wishes WHERE decided_at IS NULL AND device_id IS :device_id ORDER BY id DESC",
        {"device_id": device_id},
    ).fetchall()
    return [_wished(row) for row in rows]


def decide_wish(tx: Connection, wish_id: int, *, request_id: int | None, now: float) -> bool:
    """Answered: with the request that was made of it, or with no (None). False if it was answered before, or is gone."""
    rows = tx.execute(
        """
        UPDATE wishes
           SET decided_at = :now, request_id = :request_id
         WHERE id = :id AND decided_at IS NULL
        RETURNING id
        """,
        {"id": wish_id, "request_id": request_id, "now": now},
    ).fetchall()
    return bool(rows)


def delete_wishes_of_child(tx: Connection, child_id: int) -> None:
    """Whatever was wished for this child, alone or with others, answered or not."""
    tx.execute(
        "DELETE FROM wishes WHERE EXISTS (SELECT 1 FROM json_each(fields, '$.children') WHERE value = :child_id)",
        {"child_id": child_id},
    )


def _wished(row: Row) -> Wished:
    fields = json.loads(row["fields"])
    children = tuple(Listener(child_id=child_id) for child_id in fields["children"])
    return Wished(
        id=row["id"],
        device_id=row["device_id"],
        wish=Wish(children, idea=fields["idea"], mood=fields["mood"]),
        created_at=row["created_at"],
        decided_at=row["decided_at"],
        request_id=row["request_id"],
    )
