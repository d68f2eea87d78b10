"""Keeping a house through the years: backups and going back to one, export, what leaves by itself, leaving altogether."""

from bedtime.keeping.backups import back_up, back_up_to
from bedtime.keeping.exporting import export
from bedtime.keeping.holding import copies_with_child, set_aside, throw_away_aside
from bedtime.keeping.keeper import Keeper
from bedtime.keeping.leaving import Remains, empty_house, remains
from bedtime.keeping.restoring import Restored, restore
from bedtime.keeping.rotation import Copy, copies_of, find_copy, is_due, throw_away

__all__ = [
    "Copy",
    "Keeper",
    "Remains",
    "Restored",
    "back_up",
    "back_up_to",
    "copies_of",
    "copies_with_child",
    "empty_house",
    "export",
    "find_copy",
    "is_due",
    "remains",
    "restore",
    "set_aside",
    "throw_away",
    "throw_away_aside",
]
