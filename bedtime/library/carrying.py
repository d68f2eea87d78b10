"""What a restored database takes over from the one that it replaces (attached as `replaced`): what is newer there.

The restored rows win where both have one. Whoever calls has checked that the replaced database went on from this one,
so that an id which both know means the same.
"""

from bedtime.db import Connection
from bedtime.library.stories import make_findable


def strangers(tx: Connection) -> int:
    """How many children or wishes mean something else in the replaced database: none, if it went on from this one."""
    row = tx.execute(
        """
        SELECT (SELECT count(*)
                  FROM children c JOIN replaced.children r ON r.id = c.id AND r.created_at <> c.created_at)
               + (SELECT count(*)
                    FROM story_requests q LEFT JOIN replaced.story_requests r ON r.id = q.id
                   WHERE r.idempotency_key IS NULL OR r.idempotency_key <> q.idempotency_key) AS strangers
        """
    ).fetchone()
    return int(row["strangers"])


def carry_over(tx: Connection) -> int:
    """Children, wishes, casts, stories with their marks, plans and notes; how many stories. After the jobs."""
    tx.execute("PRAGMA defer_foreign_keys = ON")  # wishes and stories point to each other
    _carry_children(tx)
    _carry_requests(tx)
    _carry_casts(tx)
    newer = _carry_stories(tx)
    _carry_marks(tx)
    _carry_plans(tx)
    _carry_wishes(tx)
    _carry_numbers(tx)
    return newer


def count_elsewhere(tx: Connection) -> int:
    """How many stories of the replaced database are not in this one."""
    row = tx.execute(
        """
        SELECT count(*) AS stories
          FROM replaced.stories r
         WHERE NOT EXISTS (SELECT 1 FROM stories s WHERE s.sha256 = r.sha256 AND s.created_at = r.created_at)
        """
    ).fetchone()
    return int(row["stories"])


def _carry_children(tx: Connection) -> None:
    tx.execute(
        """
        INSERT INTO children (id, nickname, band, pronouns, likes, friends, leave_out, created_at)
        SELECT id, nickname, band, pronouns, likes, friends, leave_out, created_at
          FROM replaced.children
         WHERE id NOT IN (SELECT id FROM children)
        """
    )


def _carry_requests(tx: Connection) -> None:
    """Without the device that asked: the devices of the replaced database are signed out."""
    tx.execute(
        """
        INSERT INTO story_requests (id, idempotency_key, fingerprint, job_id, idea, today, minutes, mood, lesson, language,
                                    continues, shape, created_at)
        SELECT id, idempotency_key, fingerprint, job_id, idea, today, minutes, mood, lesson, language,
               continues, shape, created_at
          FROM replaced.story_requests
         WHERE id NOT IN (SELECT id FROM story_requests)
        """
    )


def _carry_casts(tx: Connection) -> None:
    """A telling adds to the cast of a wish: who was only mentioned, and what everybody was called on the wire."""
    tx.execute(
        """
        INSERT INTO casts (request_id, position, child_id, stand_in, pronouns, listens)
        SELECT request_id, position, child_id, stand_in, pronouns, listens
          FROM replaced.casts
         WHERE true
            ON CONFLICT (request_id, position)
            DO UPDATE SET stand_in = excluded.stand_in, child_id = coalesce(child_id, excluded.child_id)
        """
    )


def _carry_stories(tx: Connection) -> int:
    rows = tx.execute(
        """
        INSERT INTO stories (id, job_id, request_id, title, text, sha256, language, minutes, told_by, tale, shape, recap,
                             cast_text, flags, created_at, place, season, series, part, favourite, again_at, approved_at,
                             hidden_at, held, first_title, first_text)
        SELECT id, job_id, request_id, title, text, sha256, language, minutes, told_by, tale, shape, recap,
               cast_text, flags, created_at, place, season, series, part, favourite, again_at, approved_at,
               hidden_at, held, first_title, first_text
          FROM replaced.stories
         WHERE id NOT IN (SELECT id FROM stories)
        RETURNING id, title, text
        """
    ).fetchall()
    tx.execute(
        """
        UPDATE stories
           SET hidden_at = (SELECT r.hidden_at FROM replaced.stories r WHERE r.id = stories.id)
         WHERE hidden_at IS NULL
        """
    )  # what was hidden since stays hidden
    for row in rows:
        make_findable(tx, row["id"], row["title"], row["text"])
    return len(rows)


def _carry_marks(tx: Connection) -> None:
    tx.execute(
        """
        INSERT INTO readings (story_id, paragraph, read_at)
        SELECT story_id, paragraph, read_at FROM replaced.readings WHERE true ON CONFLICT (story_id) DO NOTHING
        """
    )
    tx.execute(
        """
        INSERT INTO reactions (story_id, reaction, created_at)
        SELECT story_id, reaction, created_at FROM replaced.reactions WHERE true
            ON CONFLICT (story_id, reaction) DO NOTHING
        """
    )


def _carry_plans(tx: Connection) -> None:
    """With them what was planned, so that an evening that has its story gets no second one; and notes."""
    tx.execute(
        """
        INSERT INTO schedules (id, children, days, at, zone, minutes, mood, themes, language, paused, since)
        SELECT id, children, days, at, zone, minutes, mood, themes, language, paused, since
          FROM replaced.schedules
         WHERE id NOT IN (SELECT id FROM schedules)
        """
    )
    tx.execute(
        """
        INSERT INTO planned_evenings (schedule_id, date, job_id)
        SELECT schedule_id, date, job_id
          FROM replaced.planned_evenings
         WHERE schedule_id IN (SELECT id FROM schedules)
            ON CONFLICT (schedule_id, date) DO NOTHING
        """
    )
    tx.execute(
        """
        INSERT INTO notes (id, text, expires_at, created_at)
        SELECT id, text, expires_at, created_at FROM replaced.notes WHERE id NOT IN (SELECT id FROM notes)
        """
    )


def _carry_wishes(tx: Connection) -> None:
    """One that was asked for since is not open any more: its request came along."""
    tx.execute(
        """
        INSERT INTO wishes (id, fields, created_at, decided_at, request_id)
        SELECT id, fields, created_at, decided_at, request_id
          FROM replaced.wishes
         WHERE id NOT IN (SELECT id FROM wishes)
        """
    )
    tx.execute(
        """
        UPDATE wishes
           SET decided_at = r.decided_at, request_id = r.request_id
          FROM replaced.wishes r
         WHERE r.id = wishes.id AND r.request_id IS NOT NULL AND wishes.decided_at IS NULL
        """
    )


def _carry_numbers(tx: Connection) -> None:
    """A number that was given once is not given again, though what had it was deleted since (https://sqlite.org/autoinc.html)."""
    tx.execute(
        """
        UPDATE sqlite_sequence
           SET seq = max(sqlite_sequence.seq, r.seq)
          FROM replaced.sqlite_sequence r
         WHERE r.name = sqlite_sequence.name
        """
    )
    tx.execute(
        """
        INSERT INTO sqlite_sequence (name, seq)
        SELECT name, seq FROM replaced.sqlite_sequence WHERE name NOT IN (SELECT name FROM sqlite_sequence)
        """
    )
