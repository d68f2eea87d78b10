"""What a running house does to its disk, and what it says to others, in order: recorded with strace."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CALLS = "openat,write,pwrite64,fsync,fdatasync,ftruncate,fallocate,rename,unlink,sendto"
LONGEST = 1 << 20  # bytes of one write; SQLite's are a page, a piece of a wire is less
_LINE = re.compile(r"(\d+) +(.*)")
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+)")
_RESUMED = re.compile(r"<\.\.\. \w+ resumed>(.*)")
_UNFINISHED = " <unfinished ...>"
_BYTES = r"((?:\\x[0-9a-f]{2})*)"
_HANDLE = re.compile(rf"\d+<{_BYTES}>(\(deleted\))?")
_STRING = re.compile(rf'"{_BYTES}"')


class NoStrace(Exception):
    """strace is not installed: install Debian's package of that name, or leave this section out."""


@dataclass(frozen=True)
class Write:
    """`at` None: at the end."""

    path: str
    at: int | None
    data: bytes


@dataclass(frozen=True)
class Resize:
    path: str
    size: int
    only_up: bool = False


@dataclass(frozen=True)
class Create:
    path: str
    empty: bool = False  # O_TRUNC


@dataclass(frozen=True)
class Unlink:
    path: str


@dataclass(frozen=True)
class Rename:
    path: str
    to: str


@dataclass(frozen=True)
class Sync:
    """Of a file, or of a folder. What was done to it before the event number `since` is on the disk when it returns."""

    path: str
    since: int


@dataclass(frozen=True)
class Said:
    """Bytes that another program may have seen, by the thread that sent them."""

    thread: int
    data: bytes


Event = Write | Resize | Create | Unlink | Rename | Sync | Said


def through(trace: Path) -> tuple[str, ...]:
    """What runs a program so that `trace` is written. The program stays our child. Raises NoStrace."""
    strace = shutil.which("strace")
    if strace is None:
        raise NoStrace(NoStrace.__doc__ or "")
    return (strace, "-D", "-f", "-y", "-xx", "-s", str(LONGEST), "-e", f"trace={CALLS}", "-o", str(trace))


def is_whole(trace: Path, pid: int) -> bool:
    """Whether the recorder has written down the end of the program."""
    return trace.exists() and re.search(rf"(?m)^{pid} +\+\+\+ ", trace.read_text()) is not None


def read(trace: Path, *, first: int = 0) -> list[Event]:
    """The events, numbered from `first`. A write counts from its start, a sync from its end."""
    events: list[Event | None] = []
    open_calls: dict[str, tuple[str, int]] = {}
    for thread, text in _lines(trace):
        start = len(events)
        resumed = _RESUMED.match(text)
        if text.endswith(_UNFINISHED):
            open_calls[thread] = (text.removesuffix(_UNFINISHED), start)
            events.append(None)
            continue
        if resumed:
            begun, start = open_calls.pop(thread)
            text = begun + resumed[1]
        else:
            events.append(None)
        found = _CALL.match(text)
        event = _event(int(thread), found[1], found[2], int(found[3]), first + start) if found else None
        if isinstance(event, Sync) and resumed:
            events.append(event)
        else:
            events[start] = event
    return [event or Said(0, b"") for event in events]


def _lines(trace: Path) -> Iterator[tuple[str, str]]:
    for line in trace.read_text().splitlines():
        found = _LINE.match(line)
        if found:
            yield found[1], found[2]


def _event(thread: int, name: str, arguments: str, result: int, number: int) -> Event | None:
    """None for what failed, or changes nothing."""
    if result < 0:
        return None
    handle, strings = _HANDLE.match(arguments), [_bytes(each) for each in _STRING.findall(arguments)]
    if name == "openat":
        empty = "O_TRUNC" in arguments
        return Create(strings[0].decode(), empty) if empty or "O_CREAT" in arguments else None
    if name in ("rename", "unlink"):
        return Rename(strings[0].decode(), strings[1].decode()) if name == "rename" else Unlink(strings[0].decode())
    if handle is None or handle[2]:
        return None
    path, numbers = _bytes(handle[1]).decode(), arguments.rpartition('"')[2].split(", ")
    if name == "sendto":
        return Said(thread, strings[0][:result])
    if name in ("write", "pwrite64"):
        return Write(path, int(numbers[-1]) if name == "pwrite64" else None, strings[0][:result])
    if name == "ftruncate":
        return Resize(path, int(numbers[-1]))
    if name == "fallocate":
        return Resize(path, int(numbers[-2]) + int(numbers[-1]), only_up=True)
    return Sync(path, number)


def _bytes(hexadecimal: str) -> bytes:
    return bytes.fromhex(hexadecimal.replace("\\x", ""))
