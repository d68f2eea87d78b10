"""What still holds a name, after it was deleted from the house: backups, and databases that were set aside."""

import logging
import shutil
from pathlib import Path

from bedtime import library
from bedtime.db import copies
from bedtime.errors import BedtimeError
from bedtime.keeping.rotation import Copy, copies_of

log = logging.getLogger("bedtime.keeping")

REPLACED = "replaced"  # the folder of databases that a restore put aside


def set_aside(instance: Path) -> list[Path]:
    """The folders of databases that were replaced by a backup; nothing but a person throws them away."""
    folder = instance / REPLACED
    return sorted((path for path in folder.iterdir() if path.is_dir()), reverse=True) if folder.is_dir() else []


def throw_away_aside(instance: Path, name: str) -> None:
    """One of them, by its name; nothing if it is gone."""
    for folder in set_aside(instance):
        if folder.name == name:
            shutil.rmtree(folder)
            log.info("replaced=%s status=thrown_away", name)


def copies_with_child(instance: Path, child_id: int) -> list[Copy]:
    """The backups in which this child's profile stands; one that cannot be read counts among them."""
    return [copy for copy in copies_of(instance) if _holds(copy, child_id)]


def _holds(copy: Copy, child_id: int) -> bool:
    try:
        with copies.opened(copy.path) as db:
            return bool(library.children_by_id(db, [child_id]))
    except BedtimeError as error:
        log.warning('backup=%s reason="%s"', copy.name, error)
        return True
