"""Whether a file is a backup that this program can go back to: looked at in a copy of it, never in the house's own place."""

from dataclasses import dataclass
from pathlib import Path

from bedtime import library
from bedtime.db import copies
from bedtime.db.migrations import steps
from bedtime.errors import BedtimeError

_SQLITE, _ZIP = b"SQLite format 3\x00", b"PK"


@dataclass(frozen=True, slots=True)
class Checked:
    """How much is in it, and the ids of stories that are not as they were written."""

    stories: int
    broken: tuple[int, ...]


def take(file: Path, place: Path) -> Checked:
    """Put a checked copy of a backup at `place`. Raises BedtimeError, with the reason in a sentence."""
    _check_kind(file)
    _check_hash(file)
    with copies.opened(file) as db:
        _check_schema(file, copies.version(db))
        copies.copy(db, place)
    with copies.opened(place) as db:
        return Checked(len(library.story_ids(db)), tuple(library.not_as_written(db)))


def _check_kind(file: Path) -> None:
    """By its first bytes. A ZIP is never opened: what could be in it cannot harm."""
    try:
        with file.open("rb") as opened:
            first = opened.read(len(_SQLITE))
    except FileNotFoundError:
        raise BedtimeError(f"there is no file {file}") from None
    except OSError as error:
        raise BedtimeError(f"{file} cannot be read ({error.strerror})") from None
    if first.startswith(_ZIP):
        raise BedtimeError(
            f"{file} is a ZIP, such as an export: only a backup can be restored, a file that ends in .db"
        )
    if first != _SQLITE:
        raise BedtimeError(f"{file} is no database: only a backup can be restored, a file that ends in .db")


def _check_hash(file: Path) -> None:
    kept = copies.kept_digest(file)
    if kept is not None and kept != copies.digest(file):
        raise BedtimeError(
            f"{file} is not what was written: its SHA-256 differs from the one beside it; take another backup"
        )


def _check_schema(file: Path, version: int) -> None:
    newest = steps()[-1][0]
    if version > newest:
        raise BedtimeError(f"{file} has schema {version}, this program knows {newest}: update the program first")
    if version == 0:
        raise BedtimeError(f"{file} belongs to another program: only a backup of Bedtime can be restored")
