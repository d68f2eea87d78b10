"""The witnesses of a run, which know nothing of each other: the client's log, the provider's ledger, the database.

None of them uses the product's code: rows, records of the spool and events of the wire are read here once more.
"""

import json
import sqlite3
import struct
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests
from provider import Provider
from running import Running

Row = dict[str, Any]

BILL_MICROS = 612 * 1 + 655 * 4  # what the provider says that its story took, at the prices of `paid_settings`
CAP_MICROS = 5_000_000
SECONDS_BETWEEN_LOOKS = 0.02


@dataclass(frozen=True)
class Sent:
    """One POST of a wish: `status` and `job_id` are None if no answer came."""

    key: str
    fields: Row
    status: int | None
    job_id: int | None


@dataclass
class Client:
    """Somebody who asks, and writes down what was sent and what was acknowledged. An answer that never came is None."""

    house: Running
    asked: list[Sent] = field(default_factory=list)
    asked_again: list[int] = field(default_factory=list)
    called_off: list[int] = field(default_factory=list)

    def ask(self, key: str, **fields: object) -> int | None:
        """The job of a wish; its idea holds the key, by which the provider's ledger is read."""
        wish = {"idea": f"a lamp with the number {key}", **fields}
        answer = _answer(lambda: self.house.ask(key, **wish))
        status = None if answer is None else answer.status_code
        job_id = int(answer.json()["job_id"]) if answer is not None and answer.ok else None
        self.asked.append(Sent(key, wish, status, job_id))
        return job_id

    def press(self, job_id: int, button: str) -> requests.Response | None:
        """One of the buttons on a job's page: `again`, `cancel`, `tale`."""
        if button == "again":
            self.asked_again.append(job_id)
        answer = _answer(lambda: self.house.post(f"/stories/jobs/{job_id}/{button}", data={"understood": "yes"}))
        if button == "cancel" and answer is not None and answer.status_code == 303:
            self.called_off.append(job_id)
        return answer


def _answer(send: Any) -> requests.Response | None:
    try:
        return send()  # type: ignore[no-any-return]
    except requests.RequestException:
        return None


@dataclass(frozen=True)
class File:
    """All that stands in the database."""

    jobs: list[Row]
    requests: list[Row]
    calls: list[Row]
    stories: list[Row]
    casts: list[Row]
    paused: list[str]
    faults: list[str]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """In one snapshot."""
        db = sqlite3.connect(f"file:{folder / 'bedtime.db'}?mode=ro", uri=True, isolation_level=None)
        db.row_factory = sqlite3.Row
        try:
            db.execute("BEGIN")
            tables = ("jobs", "story_requests", "calls", "stories", "casts")
            rows = [[dict(row) for row in db.execute(f"SELECT * FROM {table}").fetchall()] for table in tables]
            paused = [row[0] for row in db.execute("SELECT name FROM queues WHERE paused_at IS NOT NULL").fetchall()]
            checks = [row[0] for row in db.execute("PRAGMA integrity_check").fetchall()]
            keys = [str(tuple(row)) for row in db.execute("PRAGMA foreign_key_check").fetchall()]
            return cls(*rows, paused, [check for check in checks if check != "ok"] + keys)
        finally:
            db.close()

    @property
    def committed_micros(self) -> int:
        """Spent and reserved: whatever was not certainly refused counts, at its cost or at its worst case."""
        counted = [call for call in self.calls if call["status"] != "refused"]
        return sum(call["reserved_micros" if call["spent_micros"] is None else "spent_micros"] for call in counted)

    def slotted(self, request_id: int, text: str) -> str:
        """A text of the wire as it should be kept."""
        for role in self.casts:
            if role["request_id"] == request_id and role["stand_in"]:
                text = text.replace(role["stand_in"], f"{{child:{role['position']}}}")
        return text


class Watch:
    """Looks at the money all the time, from another thread: `faults` says when it was wrong."""

    def __init__(
        self,
        house: Running,
        provider: Provider,
        *,
        cap_micros: int,
        bill_micros: int,
        seconds: float = SECONDS_BETWEEN_LOOKS,
    ) -> None:
        self.faults: list[str] = []
        self._seconds = seconds
        self._house, self._provider = house, provider
        self._cap_micros, self._bill_micros = cap_micros, bill_micros
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        """Look no more: whoever reads a database leaves its log and its index beside it."""
        self._done.set()
        self._thread.join()

    def look(self) -> None:
        """The bills first: what is sent between the two looks can only make the file say more."""
        billed = len(self._provider.bills()) * self._bill_micros
        try:
            counted = File.read(self._house.folder).committed_micros
        except sqlite3.OperationalError:  # no file yet, or no tables in it
            counted = 0
        if counted < billed:
            self.faults.append(f"{counted} micros were counted when {billed} were billed")
        if counted > self._cap_micros:
            self.faults.append(f"{counted} micros were spent or reserved, and the cap is {self._cap_micros}")

    def _run(self) -> None:
        while not self._done.wait(self._seconds):
            self.look()


def arrived(folder: Path) -> dict[int, str]:
    """The text that stands in the spool, by job: all that came before the process died."""
    return {
        int(path.name.partition("-")[0]): _text(b"".join(_records(path.read_bytes())))
        for path in sorted((folder / "spool").glob("*-*"))
    }


def _records(spool: bytes) -> Iterator[bytes]:
    at = 0
    while at + 8 <= len(spool):
        length, crc = struct.unpack_from(">II", spool, at)
        record = spool[at + 8 : at + 8 + length]
        if not length or zlib.crc32(record) != crc:
            return
        yield record
        at += 8 + length


def _text(wire: bytes) -> str:
    events = [line[6:] for line in wire.split(b"\n")[:-1] if line.startswith(b"data: {")]
    deltas = [choice["delta"] for event in events for choice in json.loads(event)["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)
