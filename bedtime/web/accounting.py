"""Calls and months as the pages about money show them, and as a file for a spreadsheet."""

import csv
import datetime
import io
import re
from dataclasses import dataclass

from bedtime import almanac, casting, charts, jobs, ledger, library, prices
from bedtime.charts import Chart
from bedtime.db import Connection
from bedtime.ledger import CallLine, DaySpent, MonthSums
from bedtime.model import Call
from bedtime.telling import progress
from bedtime.web.views import JobPage, job_page, title_of

MOST_RAW_CHARACTERS = 200_000
CALLS_AT_ONCE = 500
_MONTH = re.compile(r"(?!0000)[0-9]{4}-(0[1-9]|1[0-2])", re.ASCII)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
COLUMNS = (
    "call",
    "job",
    "sent_at",
    "model",
    "host",
    "status",
    "outcome",
    "finish_reason",
    "tokens_in",
    "tokens_out",
    "words",
    "reserved",
    "spent",
    "currency",
    "month",
)


@dataclass(frozen=True, slots=True)
class Month:
    """A month of the ledger: its sums, its days, and the picture of them."""

    period: str
    first: datetime.date
    sums: MonthSums
    days: list[DaySpent]
    chart: Chart
    earlier: str | None
    later: str | None


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call in the list: what it was for, as far as that is still known."""

    line: CallLine
    title: str
    story_id: int | None


@dataclass(frozen=True, slots=True)
class CallPage:
    """One call with its texts. `draft` has the names filled in; `raw` is as it came; None if it is not kept."""

    call: Call
    title: str
    story_id: int | None
    draft: str
    raw: str | None
    raw_is_cut: bool
    job: JobPage | None


def is_month(text: str) -> bool:
    return _MONTH.fullmatch(text) is not None


def month_of(db: Connection, period: str, *, now_in: str, zone: str) -> Month:
    """`now_in` is the month of now: one can go on to it, also while nothing was asked in it yet."""
    known = sorted({*ledger.months(db), now_in})
    days = ledger.by_day(ledger.spent_in(db, period), period, zone)
    return Month(
        period=period,
        first=days[0].date,
        sums=ledger.sums_of(db, period),
        days=days,
        chart=charts.month([(day.known, day.unknown) for day in days]),
        earlier=next((one for one in reversed(known) if one < period), None),
        later=next((one for one in known if one > period), None),
    )


def rows(db: Connection, lines: list[CallLine]) -> list[CallRow]:
    return [CallRow(line, *_told(db, line.job_id)) for line in lines]


def call_page(db: Connection, call_id: int, *, now: float) -> CallPage | None:
    """None if there is no such call."""
    call = ledger.get(db, call_id)
    if call is None:
        return None
    view = progress(db, call.job_id)
    names = library.names_of(db, view.request.id) if view else {}
    raw = None if call.raw is None else call.raw.decode("utf-8", "replace")
    return CallPage(
        call,
        *_told(db, call.job_id),
        draft=casting.fill(call.draft, names),
        raw=raw and raw[:MOST_RAW_CHARACTERS],
        raw_is_cut=raw is not None and len(raw) > MOST_RAW_CHARACTERS,
        job=job_page(view, now=now) if view else None,
    )


def as_csv(db: Connection, *, period: str | None, zone: str, currency: str) -> str:
    """Every call, or those of a month, the newest first. No cell is taken for a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    wall, before = almanac.wall(zone), None
    while lines := ledger.calls_before(db, period=period, before=before, most=CALLS_AT_ONCE):
        writer.writerows([[_cell(value) for value in _values(line, wall, currency)] for line in lines])
        before = lines[-1].id
    return text.getvalue()


def _told(db: Connection, job_id: int) -> tuple[str, int | None]:
    """The title of the story that came of a job, or else of the wish; and the story."""
    story_id = library.story_of_job(db, job_id)
    story = library.story(db, story_id) if story_id else None
    if story is not None:
        return casting.fill(story.title, library.names_of(db, story.request_id)), story_id
    job = jobs.get(db, job_id)
    request = library.request_for(db, job.payload["request_id"]) if job and "request_id" in job.payload else None
    return title_of(request.wish.idea) if request else "A wish that was deleted", None


def _values(line: CallLine, wall: datetime.tzinfo, currency: str) -> tuple[object, ...]:
    sent_at = datetime.datetime.fromtimestamp(line.sent_at, wall).isoformat(timespec="seconds")
    spent = None if line.spent_micros is None else prices.plainly(line.spent_micros)
    return (
        line.id,
        line.job_id,
        sent_at,
        line.model,
        line.host,
        line.status,
        line.outcome,
        line.finish_reason,
        line.tokens_in,
        line.tokens_out,
        line.words,
        prices.plainly(line.reserved_micros),
        spent,
        currency,
        line.period,
    )


def _cell(value: object) -> str:
    """What a spreadsheet would run as a formula is quoted with ', as text."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
