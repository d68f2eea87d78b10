"""A disk that loses its power: what was synced is there, anything later may be there, in part, or not at all.

A name is sure once its folder was synced, the bytes of a file once the file was; names within a folder come in their
order, bytes in any order, and of a torn write only some of its sectors.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from proof.recording import Create, Event, Rename, Resize, Sync, Unlink, Write

SECTOR = 512
VARIANTS = ("nothing", "everything", "a beginning", "some", "torn", "torn again")
IGNORED = ("-shm", ".lock")


@dataclass
class File:
    """A file's bytes, and its length: space that was only set aside takes no room here."""

    data: bytearray = field(default_factory=bytearray)
    size: int = 0

    def copy(self) -> "File":
        return File(bytearray(self.data), self.size)

    def write(self, at: int | None, data: bytes) -> None:
        at = self.size if at is None else at
        if len(self.data) < at + len(data):
            self.data.extend(bytes(at + len(data) - len(self.data)))
        self.data[at : at + len(data)] = data
        self.size = max(self.size, at + len(data))

    def resize(self, size: int, *, only_up: bool) -> None:
        if size < self.size and not only_up:
            del self.data[size:]
            self.size = size
        self.size = max(self.size, size)


@dataclass
class Inode:
    sure: File = field(default_factory=File)
    later: list[tuple[int, Write | Resize]] = field(default_factory=list)


State = dict[str, File]


class Disk:
    """Of the files in one folder and below it."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._names: dict[str, Inode] = {}
        self._sure: dict[str, Inode] = {}
        self._later: list[tuple[int, Create | Unlink | Rename, Inode | None]] = []

    def do(self, number: int, event: Event) -> bool:
        """False if it changed nothing here."""
        path = getattr(event, "path", "")
        if not path.startswith(self._folder) or path.endswith(IGNORED):
            return False
        if isinstance(event, Write | Resize):
            return self._change(number, event)
        if isinstance(event, Sync):
            return self._sync(event)
        if isinstance(event, Create | Unlink | Rename):
            return self._name(number, event)
        return False

    def after_power_loss(self, variant: str, dice: random.Random) -> State:
        """One of the states in which the disk may be found."""
        names = self._found_names(variant, dice)
        inodes = {id(inode): inode for inode in names.values()}
        files = {key: _found(inode, variant, dice) for key, inode in inodes.items()}
        return {path.removeprefix(self._folder): files[id(inode)] for path, inode in sorted(names.items())}

    def _change(self, number: int, event: Write | Resize) -> bool:
        inode = self._names.get(event.path)
        if inode is None:
            return False
        inode.later.append((number, event))
        return True

    def _name(self, number: int, event: Create | Unlink | Rename) -> bool:
        inode = self._names.get(event.path)
        if isinstance(event, Create):
            if inode is not None:
                return event.empty and self._change(number, Resize(event.path, 0))
            inode = Inode()
        self._later.append((number, event, inode))
        _rename(self._names, event, inode)
        return True

    def _sync(self, event: Sync) -> bool:
        inode = self._names.get(event.path)
        if inode is not None:
            for _, change in [each for each in inode.later if each[0] < event.since]:
                _apply(inode.sure, change)
            inode.later = [each for each in inode.later if each[0] >= event.since]
            return True
        mine = [each for each in self._later if each[0] < event.since and _parent(each[1].path) == event.path]
        for _, change, named in mine:
            _rename(self._sure, change, named)
        self._later = [each for each in self._later if each not in mine]
        return bool(mine)

    def _found_names(self, variant: str, dice: random.Random) -> dict[str, Inode]:
        names = dict(self._sure)
        for folder in sorted({_parent(change.path) for _, change, _ in self._later}):
            mine = [each for each in self._later if _parent(each[1].path) == folder]
            for _, change, inode in mine[: _how_many(variant, len(mine), dice)]:
                _rename(names, change, inode)
        return names


def _how_many(variant: str, count: int, dice: random.Random) -> int:
    if variant == "nothing":
        return 0
    return count if variant == "everything" else dice.randint(0, count)


def _rename(names: dict[str, Inode], change: Create | Unlink | Rename, inode: Inode | None) -> None:
    if isinstance(change, Create) and inode is not None:
        names[change.path] = inode
        return
    names.pop(change.path, None)
    if isinstance(change, Rename) and inode is not None:
        names[change.to] = inode


def _found(inode: Inode, variant: str, dice: random.Random) -> File:
    file, later = inode.sure.copy(), [change for _, change in inode.later]
    kept = later[: _how_many(variant, len(later), dice)]
    if variant in ("some", "torn", "torn again"):
        kept = [change for change in later if dice.random() < 0.6]
    torn = dice.randrange(len(kept)) if kept and variant.startswith("torn") else None
    for place, change in enumerate(kept):
        for piece in _sectors(change, dice) if place == torn else [change]:
            _apply(file, piece)
    return file


def _sectors(change: Write | Resize, dice: random.Random) -> Iterator[Write | Resize]:
    """Some of the sectors of a write; sectors are those of the file."""
    if isinstance(change, Resize) or change.at is None:
        return
    end = change.at + len(change.data)
    for start in range(change.at - change.at % SECTOR, end, SECTOR):
        begin, stop = max(start, change.at), min(start + SECTOR, end)
        if dice.random() < 0.5:
            yield Write(change.path, begin, change.data[begin - change.at : stop - change.at])


def _apply(file: File, change: Write | Resize) -> None:
    if isinstance(change, Write):
        file.write(change.at, change.data)
    else:
        file.resize(change.size, only_up=change.only_up)


def _parent(path: str) -> str:
    return str(PurePosixPath(path).parent)
