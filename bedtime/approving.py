"""A grown-up's word on a story: approve, edit, hide, show again; each in a transaction of its own."""

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from bedtime import casting, lettering, library
from bedtime.db import Connection, Database
from bedtime.errors import NotFound
from bedtime.library import Standing
from bedtime.model import Draft

log = logging.getLogger("bedtime.approving")


def approve(database: Database, story_id: int, *, sha256: str, now: float) -> bool:
    """Readers' devices see it from this commit on. False if it is not the text that was looked at, or is hidden, or gone."""
    with database.transaction("approve") as tx:
        approved = library.approve(tx, story_id, sha256=sha256, now=now)
    if approved:
        log.info("story=%d approved=yes", story_id)
    return approved


def approve_rest(database: Database, *, up_to: int, now: float) -> int:
    """All that wait with an id up to this one and that no check held; how many."""
    with database.transaction("approve") as tx:
        many = library.approve_up_to(tx, up_to, now=now)
    log.info("stories=%d approved=yes up_to=%d", many, up_to)
    return many


def edit(database: Database, story_id: int, *, title: str, paragraphs: Sequence[str], shown: str) -> bool:
    """Another title and text, with names as they are shown; as it was told first is kept. Raises NotFound.

    A paragraph that nobody touched stays as it is; in others names become slots again. False if it is not what was `shown`
    (`hash_of`) any more: somebody else has edited it, or a child in it is called otherwise now, or was deleted.
    """
    with database.reading() as db:
        old, names, living = _looked_at(db, story_id)
    pieces = [old.title, *old.text.split("\n\n")]
    filled = [casting.fill(piece, names) for piece in pieces]
    if hash_of(filled) != shown:
        return False
    kept = dict(zip(filled, pieces, strict=True))
    draft = Draft(_slotted(title, kept, living), tuple(_slotted(piece, kept, living) for piece in paragraphs))
    if [draft.title, *draft.paragraphs] == pieces:
        return True
    text, places = "\n\n".join(draft.paragraphs), _places(pieces[1:], draft.paragraphs)
    with database.transaction("edit_story") as tx:
        edited = _looked_at(tx, story_id)[1:] == (names, living) and library.rewrite(
            tx, story_id, title=draft.title, text=text, minutes=draft.minutes, sha256=old.sha256
        )
        if edited:
            library.move_bookmark(tx, story_id, places)
    if edited:
        log.info("story=%d edited=yes", story_id)
    return edited


def _looked_at(db: Connection, story_id: int) -> tuple[Standing, dict[int, str], dict[int, str]]:
    """A story, the names in it, and those of them that can have a slot. Raises NotFound."""
    found = library.standing(db, story_id)
    if found is None:
        raise NotFound(f"there is no story {story_id}")
    return found, library.names_of(db, found.request_id), names_for_slots(db, found)


def hash_of(shown: Iterable[str]) -> str:
    """SHA-256 (hex) of title and paragraphs with the names filled in: what a page has shown of a story."""
    return hashlib.sha256("\n\n".join(shown).encode()).hexdigest()


def _places(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """For each paragraph of the old text, from 1, the one of the new text that stands there; the end stays the end."""
    places = []
    for _, first, end, start, stop in SequenceMatcher(None, old, new).get_opcodes():
        places += [min(start + at, max(stop, start + 1) - 1, len(new) - 1) for at in range(end - first)]
    text = [at for at, piece in enumerate(new) if not lettering.is_break(piece)] or [0]
    return [next((at for at in text if at >= place), text[-1]) + 1 for place in places[:-1]] + [len(new)]


def hide(database: Database, story_id: int, *, now: float) -> bool:
    """Readers' devices do not see it from this commit on. False if it is gone."""
    with database.transaction("hide_story") as tx:
        hidden = library.hide(tx, story_id, now=now)
    if hidden:
        log.info("story=%d hidden=yes", story_id)
    return hidden


def show_again(database: Database, story_id: int) -> bool:
    """As before it was hidden. False if it is gone."""
    with database.transaction("show_story") as tx:
        shown = library.show_again(tx, story_id)
    if shown:
        log.info("story=%d hidden=no", story_id)
    return shown


def names_for_slots(db: Connection, story: Standing) -> dict[int, str]:
    """Who can have a slot: `a child`, who was deleted, can not."""
    names = library.names_of(db, story.request_id)
    return {role.position: names[role.position] for role in library.cast_of(db, story.request_id) if role.child_id}


def _slotted(piece: str, kept: Mapping[str, str], names: Mapping[int, str]) -> str:
    return kept.get(piece) or casting.named_slots(piece, names)
