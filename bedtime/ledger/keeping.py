"""The ledger through the years: calls taken over from a replaced database (attached as `replaced`), raw answers that leave."""

from collections.abc import Sequence

from bedtime.db import Connection, listed
from bedtime.ledger.listing import CallLine


def carry_over(tx: Connection) -> None:
    """Every call of the replaced database, as it stands there: it was there later."""
    tx.execute(
        """
        INSERT INTO calls (id, job_id, attempt, model, host, status, period, reserved_micros, spent_micros, tokens_in,
                           tokens_out, draft, words, raw, finish_reason, outcome, sent_at, received_at, settled_at)
        SELECT id, job_id, attempt, model, host, status, period, reserved_micros, spent_micros, tokens_in,
               tokens_out, draft, words, raw, finish_reason, outcome, sent_at, received_at, settled_at
          FROM replaced.calls
         WHERE true
            ON CONFLICT (id)
            DO UPDATE SET status = excluded.status, spent_micros = excluded.spent_micros,
                          tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out, draft = excluded.draft,
                          words = excluded.words, raw = excluded.raw, finish_reason = excluded.finish_reason,
                          outcome = excluded.outcome, received_at = excluded.received_at,
                          settled_at = excluded.settled_at
        """
    )


def elsewhere(tx: Connection) -> list[CallLine]:
    """Calls of the replaced database that may have been billed, and that are not in this one."""
    rows = tx.execute(
        """
        SELECT r.id, r.job_id, r.model, r.host, r.status, r.period, r.reserved_micros, r.spent_micros, r.tokens_in,
               r.tokens_out, r.words, r.finish_reason, r.outcome, r.sent_at, r.received_at, r.settled_at
          FROM replaced.calls r
         WHERE r.status <> 'refused'
           AND NOT EXISTS (SELECT 1
                             FROM calls c
                            WHERE c.sent_at = r.sent_at AND c.host = r.host AND c.reserved_micros = r.reserved_micros)
         ORDER BY r.id
        """
    ).fetchall()
    return [CallLine(**dict(row)) for row in rows]


def add_spent(tx: Connection, job_id: int, call: CallLine) -> None:
    """What a call of another database counts for, without its texts: settled as it was, or at its worst case."""
    settled = call.status == "settled"
    tx.execute(
        """
        INSERT INTO calls (job_id, attempt, model, host, status, period, reserved_micros, spent_micros, tokens_in,
                           tokens_out, words, finish_reason, outcome, sent_at, received_at, settled_at)
        VALUES (:job_id, 1, :model, :host, :status, :period, :reserved, :spent, :tokens_in,
                :tokens_out, :words, :finish_reason, :outcome, :sent_at, :received_at, :settled_at)
        """,
        {
            "job_id": job_id,
            "model": call.model,
            "host": call.host,
            "status": "settled" if settled else "unknown",
            "period": call.period,
            "reserved": call.reserved_micros,
            "spent": call.spent_micros if settled else None,
            "tokens_in": call.tokens_in,
            "tokens_out": call.tokens_out,
            "words": call.words,
            "finish_reason": call.finish_reason,
            "outcome": call.outcome,
            "sent_at": call.sent_at,
            "received_at": call.received_at,
            "settled_at": call.settled_at,
        },
    )


def forget_raw_of(tx: Connection, job_ids: Sequence[int]) -> None:
    """The raw answers of these jobs leave, where they were settled: with names sent, they hold names. So do drafts that
    became a story, which may be deleted.
    """
    tx.execute(
        """
        UPDATE calls
           SET raw = NULL, draft = CASE WHEN outcome IN ('told', 'by_hand_told') THEN '' ELSE draft END
         WHERE status = 'settled' AND outcome <> 'by_hand' AND job_id IN (SELECT value FROM json_each(:ids))
        """,
        {"ids": listed(job_ids)},
    )


def forget_raw(tx: Connection, *, settled_before: float) -> int:
    """Raw answers of calls that were settled before then leave, and drafts that became a story; how many calls it was.

    One that a grown-up has settled by hand, and whose answer is not finished yet, keeps it.
    """
    rows = tx.execute(
        """
        UPDATE calls
           SET raw = NULL, draft = CASE WHEN outcome IN ('told', 'by_hand_told') THEN '' ELSE draft END
         WHERE status = 'settled' AND settled_at < :before AND raw IS NOT NULL AND outcome <> 'by_hand'
        RETURNING id
        """,
        {"before": settled_before},
    ).fetchall()
    return len(rows)


def raw_of(db: Connection, call_id: int) -> bytes | None:
    """The answer as it came, as long as it is kept."""
    row = db.execute("SELECT raw FROM calls WHERE id = :id", {"id": call_id}).fetchone()
    return None if row is None or row["raw"] is None else bytes(row["raw"])


def draft_of(db: Connection, call_id: int) -> str:
    """What had arrived of an answer that became no story, with slots; empty if nothing had, or if it is a story."""
    row = db.execute(
        "SELECT draft FROM calls WHERE id = :id AND coalesce(outcome, '') NOT IN ('told', 'by_hand_told')",
        {"id": call_id},
    ).fetchone()
    return "" if row is None else str(row["draft"])


def forget_all(tx: Connection) -> None:
    """Every call goes."""
    tx.execute("DELETE FROM calls")
