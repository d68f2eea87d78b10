"""What may happen to a call, one statement each."""

from bedtime.db import Connection
from bedtime.errors import ClaimLost, OverBudget
from bedtime.ledger.looking import committed, period_of
from bedtime.model import Job


def reserve(
    tx: Connection,
    job: Job,
    *,
    model: str,
    host: str,
    worst_case_micros: int,
    cap_micros: int,
    zone: str,
    now: float,
) -> int:
    """Set the worst case aside and write the call down as `sending`; its id.

    Which month it counts in is decided here, once, by the clocks of `zone`. Raises OverBudget if it does not fit under
    the month's cap any more, ClaimLost if the database refuses a second bill.
    """
    period = period_of(now, zone)
    _check_cap(tx, period, worst_case_micros, cap_micros)
    rows = tx.execute(
        """
        INSERT INTO calls (job_id, attempt, model, host, status, period, reserved_micros, sent_at)
        VALUES (:job_id, :attempt, :model, :host, 'sending', :period, :reserved, :now)
            ON CONFLICT DO NOTHING
        RETURNING id
        """,
        {
            "job_id": job.id,
            "attempt": job.attempts,
            "model": model,
            "host": host,
            "period": period,
            "reserved": worst_case_micros,
            "now": now,
        },
    ).fetchall()
    if not rows:
        raise ClaimLost(f"job {job.id}: a call that may have been billed exists already")
    return int(rows[0]["id"])


def _check_cap(tx: Connection, period: str, worst_case_micros: int, cap_micros: int) -> None:
    spent = committed(tx, period)
    if worst_case_micros and spent + worst_case_micros > cap_micros:
        raise OverBudget(
            f"{spent} of {cap_micros} micros are spent or reserved in {period}; this call may cost {worst_case_micros}"
        )


def note(tx: Connection, call_id: int, *, draft: str, words: int) -> None:
    """How far the text is, while it arrives."""
    tx.execute(
        "UPDATE calls SET draft = :draft, words = :words WHERE id = :id AND status = 'sending'",
        {"id": call_id, "draft": draft, "words": words},
    )


def receive(tx: Connection, call_id: int, *, raw: bytes, draft: str, words: int, now: float) -> bool:
    """Keep a whole answer, also one that comes late. False if it was kept before.

    One that comes after a grown-up has settled the call by hand is kept too; what they said that it cost stands.
    """
    rows = tx.execute(
        """
        UPDATE calls
           SET status = CASE WHEN status = 'settled' THEN 'settled' ELSE 'received' END,
               raw = :raw, draft = :draft, words = :words, received_at = :now
         WHERE id = :id
           AND (status IN ('sending', 'unknown') OR (status = 'settled' AND outcome = 'by_hand' AND raw IS NULL))
        RETURNING id
        """,
        {"id": call_id, "raw": raw, "draft": draft, "words": words, "now": now},
    ).fetchall()
    return bool(rows)


def settle(
    tx: Connection,
    call_id: int,
    *,
    spent_micros: int | None,
    tokens_in: int | None,
    tokens_out: int | None,
    finish_reason: str | None,
    outcome: str,
    now: float,
) -> None:
    """Put the real cost in, or the worst case where the provider does not say (None). Raises ClaimLost if it was settled.

    Of a call that was settled by hand, and whose answer came all the same, the cost stays as it was entered.
    """
    moved = tx.execute(
        """
        UPDATE calls
           SET status = 'settled', tokens_in = :tokens_in, tokens_out = :tokens_out, finish_reason = :finish_reason,
               spent_micros = CASE WHEN status = 'settled' THEN spent_micros ELSE coalesce(:spent, reserved_micros) END,
               outcome = CASE WHEN status = 'settled' THEN 'by_hand_' || :outcome ELSE :outcome END, settled_at = :now
         WHERE id = :id
           AND (status IN ('sending', 'received', 'unknown')
                OR (status = 'settled' AND outcome = 'by_hand' AND raw IS NOT NULL))
        """,
        {
            "id": call_id,
            "spent": spent_micros,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "finish_reason": finish_reason,
            "outcome": outcome,
            "now": now,
        },
    )
    if moved.rowcount != 1:
        raise ClaimLost(f"call {call_id} was settled before")


def settle_by_hand(tx: Connection, call_id: int, *, spent_micros: int, now: float) -> bool:
    """What the provider's bill says of an unknown call; entered again, it is corrected. False if it is not unknown."""
    rows = tx.execute(
        """
        UPDATE calls
           SET status = 'settled', spent_micros = :spent, outcome = 'by_hand', settled_at = :now
         WHERE id = :id AND (status = 'unknown' OR (status = 'settled' AND outcome = 'by_hand'))
        RETURNING id
        """,
        {"id": call_id, "spent": spent_micros, "now": now},
    ).fetchall()
    return bool(rows)


def refuse(tx: Connection, call_id: int, *, outcome: str, now: float) -> None:
    """The provider certainly did not bill it: the reservation is free again."""
    tx.execute(
        """
        UPDATE calls
           SET status = 'refused', outcome = :outcome, settled_at = :now
         WHERE id = :id AND status IN ('sending', 'unknown')
        """,
        {"id": call_id, "outcome": outcome, "now": now},
    )


def doubt(tx: Connection, call_id: int, *, draft: str | None, words: int, outcome: str) -> None:
    """Nobody can know: it counts at its worst case, and the text that did arrive is kept (None: as noted last)."""
    tx.execute(
        """
        UPDATE calls
           SET status = 'unknown', outcome = :outcome, draft = coalesce(:draft, draft),
               words = CASE WHEN :draft IS NULL THEN words ELSE :words END
         WHERE id = :id AND status IN ('sending', 'unknown')
        """,
        {"id": call_id, "draft": draft, "words": words, "outcome": outcome},
    )
