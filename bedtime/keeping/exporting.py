"""Everything that a household has, as one ZIP of plain files: texts, web pages, books, pictures, tables, JSON."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import IO, Any

from bedtime import jobs, ledger, library
from bedtime.db import Database
from bedtime.errors import BedtimeError
from bedtime.keeping import belongings
from bedtime.keeping.binding import bound
from bedtime.ledger import CallLine
from bedtime.model import Job
from bedtime.settings import Settings

EARLIEST, LATEST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)  # of what a ZIP can write down (APPNOTE 4.4.6)
MOST_BYTES = 4 * 1024**3
CALLS_AT_ONCE = 500
MOST_JOBS = 1_000_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_README = """What this household keeps in Bedtime, written down on {date}.

stories/      each story by its number: text, a web page, a book (EPUB), its picture; as they are read, with the names
stories.json  what is known of each: who it was told to, when, by whom, how far it was read, what they thought of it
wished.json   what was wished on a reader's device, and what was answered
wishes.json   every wish that was asked for
children.json, plans.json, settings.json    secrets are not among them
calls.csv     every request to the storyteller, and what it cost
jobs.csv      what was done, and what came of it
answers/      by the number of the call: what the storyteller answered, letter by letter, as long as it is kept;
              00001-draft.txt is the text of an answer that became no story, or as much of it as had arrived

It is for people and other programs. Bedtime itself goes back to a backup, not to this: see flask restore --help.
"""


def export(database: Database, settings: Settings, file: IO[bytes], *, now: float) -> int:
    """Write the ZIP; how many stories are in it. Raises BedtimeError if it would be larger than 4 GiB.

    Each story is read in a snapshot of its own, so that a long export keeps nobody waiting.
    """
    pack = _Pack(file, now=now)
    with database.reading() as db:
        told, asked = library.story_ids(db), library.request_ids(db)
        pack.add_json("children.json", belongings.children(db))
        pack.add_json("wished.json", belongings.wished(db, now=now))
        pack.add_json("plans.json", belongings.plans(db, now=now))
        pack.add_json("settings.json", belongings.choices(db, settings))
        pack.add_table("jobs.csv", _names(Job), (asdict(job) for job in jobs.listing(db, most=MOST_JOBS)))
    pack.add_json("wishes.json", [wish for one in asked if (wish := _wish(database, one)) is not None])
    pack.add_json("stories.json", [story for one in told if (story := _story(database, pack, one)) is not None])
    pack.add_table("calls.csv", _names(CallLine), (asdict(call) for call in _calls(database, pack)))
    pack.add("README.txt", _README.format(date=f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d}").encode())
    pack.close()
    return len(told)


class _Pack:
    """A ZIP that is being written. Member names are ours: ASCII, and none leads out of its folder."""

    def __init__(self, file: IO[bytes], *, now: float) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        date = datetime.fromtimestamp(now, UTC)
        self._folder = f"bedtime-{date:%Y-%m-%d}"
        self._date = min(max(date.timetuple()[:6], EARLIEST), LATEST)
        self._bytes = 0

    def add(self, name: str, content: bytes) -> None:
        self._bytes += len(content)
        if self._bytes > MOST_BYTES:
            raise BedtimeError(f"this household has more than {MOST_BYTES // 1024**3} GiB: use a backup instead")
        member = zipfile.ZipInfo(f"{self._folder}/{name}", self._date)
        member.compress_type, member.create_system, member.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
        self._zip.writestr(member, content)

    def add_json(self, name: str, value: Any) -> None:
        self.add(name, json.dumps(value, ensure_ascii=False, indent=1).encode())

    def add_table(self, name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\r\n")
        table.writerow(columns)
        table.writerows([_cell(row[column]) for column in columns] for row in rows)
        self.add(name, text.getvalue().encode())

    def close(self) -> None:
        self._zip.close()


def _cell(value: Any) -> Any:
    """As it is, but never as a formula of a spreadsheet."""
    text = json.dumps(value) if isinstance(value, dict) else value
    return f"'{text}" if isinstance(text, str) and text.startswith(_FORMULA) else text


def _names(row: type[CallLine] | type[Job]) -> list[str]:
    return [field.name for field in fields(row)]


def _wish(database: Database, request_id: int) -> dict[str, Any] | None:
    with database.reading() as db:
        return belongings.wish(db, request_id)


def _story(database: Database, pack: _Pack, story_id: int) -> dict[str, Any] | None:
    """Its files go into the pack; None if it was deleted meanwhile."""
    with database.reading() as db:
        found = library.story(db, story_id)
        plain = belongings.story(db, found) if found else None
    if found is None or plain is None:
        return None
    for kind, content in bound(found, plain):
        pack.add(f"stories/{story_id:05}.{kind}", content)
    return plain


def _calls(database: Database, pack: _Pack) -> Iterable[CallLine]:
    """The newest first; raw answers that are still kept, and texts that became no story, go into the pack."""
    before: int | None = None
    while True:
        with database.reading() as db:
            found = ledger.calls_before(db, period=None, before=before, most=CALLS_AT_ONCE)
        for call in found:
            with database.reading() as db:
                raw, draft = ledger.raw_of(db, call.id), belongings.draft(db, call)
            if raw is not None:
                pack.add(f"answers/{call.id:05}.txt", raw)
            if draft:
                pack.add(f"answers/{call.id:05}-draft.txt", draft.encode())
            yield call
        if len(found) < CALLS_AT_ONCE:
            return
        before = found[-1].id
