"""The shelf: stories as a list, newest first, in pages by key; searched and filtered."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bedtime.db import Connection, Row
from bedtime.lettering import apart, folded
from bedtime.library.children import all_children
from bedtime.library.eyes import EVERYTHING
from bedtime.model import Child

LAST = 2**63 - 1
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class ShelfStory:
    """A story as its card shows it; `title` holds slots."""

    id: int
    request_id: int
    title: str
    minutes: int
    told_by: str
    favourite: bool
    series: int | None
    part: int
    parts: int
    created_at: float
    paragraph: int | None
    paragraphs: int
    held: bool
    hidden: bool

    @property
    def read(self) -> bool:
        return self.paragraph is not None

    @property
    def halfway(self) -> bool:
        """Somebody began it and did not come to the end."""
        return self.paragraph is not None and 1 < self.paragraph < self.paragraphs


@dataclass(frozen=True, slots=True)
class Filter:
    """What is looked for: words in title or text or a nickname, one child, `favourites` or `unread` only, one series.

    `eyes` is whose shelf it is: see eyes.py.
    """

    words: str = ""
    child_id: int | None = None
    only: str = ""
    series: int | None = None
    eyes: int = EVERYTHING


def shelf(db: Connection, which: Filter, *, before: int | None = None, most: int = 24) -> list[ShelfStory]:
    """The newest of those stories with an id below `before`."""
    rows = db.execute(
        """
        SELECT s.id, s.request_id, s.title, s.minutes, s.told_by, s.favourite, s.series, s.part, s.created_at,
               s.hidden_at IS NOT NULL AS hidden, s.hidden_at IS NULL AND s.guarded = 2 AS held,
               r.paragraph, (length(s.text) - length(replace(s.text, :blank, ''))) / 2 + 1 AS paragraphs,
               (SELECT max(p.part) FROM stories p WHERE p.series IN (s.series, s.id) AND p.guarded <= :eyes) AS last_part
          FROM stories s LEFT JOIN readings r ON r.story_id = s.id
         WHERE s.id IN (SELECT f.id
                          FROM stories f
                         WHERE f.id < :before
                           AND (:match = '' OR f.id IN (SELECT rowid FROM story_words WHERE story_words MATCH :match))
                           AND (:names = '[]'
                                OR f.id IN (SELECT id
                                              FROM (SELECT n.key, t.id
                                                      FROM json_each(:names) n, json_each(n.value, '$.ids') i
                                                           JOIN casts c ON c.child_id = i.value
                                                           JOIN stories t ON t.request_id = c.request_id
                                                     UNION
                                                    SELECT n.key, w.rowid
                                                      FROM json_each(:names) n, story_words w
                                                     WHERE w.story_words MATCH json_extract(n.value, '$.match'))
                                             GROUP BY id
                                            HAVING count(*) = json_array_length(:names)))
                           AND (:child_id IS NULL OR EXISTS (SELECT 1
                                                               FROM casts c
                                                              WHERE c.request_id = f.request_id
                                                                AND c.child_id = :child_id AND c.listens = 1))
                           AND (:only <> 'favourites' OR f.favourite = 1)
                           AND (:only <> 'unread' OR NOT EXISTS (SELECT 1 FROM readings o WHERE o.story_id = f.id))
                           AND (:series IS NULL OR f.id = :series OR f.series = :series)
                           AND f.guarded <= :eyes
                         ORDER BY f.id DESC
                         LIMIT :most)
         ORDER BY s.id DESC
        """,
        {"before": LAST if before is None else before, "most": most, "blank": "\n\n", **_values(db, which)},
    ).fetchall()
    return [_card(row) for row in rows]


def tonight(db: Connection, *, eyes: int, most: int = 6, among: int = 200) -> list[ShelfStory]:
    """What was asked for "again!", what is half read, then what was not read yet, among the newest ones."""
    rows = db.execute(
        """
        SELECT s.id, s.request_id, s.title, s.minutes, s.told_by, s.favourite, s.series, s.part, s.created_at,
               s.hidden_at IS NOT NULL AS hidden, s.hidden_at IS NULL AND s.guarded = 2 AS held,
               r.paragraph, (length(s.text) - length(replace(s.text, :blank, ''))) / 2 + 1 AS paragraphs,
               (SELECT max(p.part) FROM stories p WHERE p.series IN (s.series, s.id) AND p.guarded <= :eyes) AS last_part
          FROM (SELECT id FROM (SELECT id FROM stories WHERE guarded <= :eyes ORDER BY id DESC LIMIT :among) AS newest
                UNION
                SELECT id FROM stories WHERE again_at IS NOT NULL AND guarded <= :eyes) AS n
               JOIN stories s ON s.id = n.id
               LEFT JOIN readings r ON r.story_id = s.id
         WHERE s.hidden_at IS NULL
           AND (r.story_id IS NULL OR s.again_at IS NOT NULL
                OR (r.paragraph > 1
                    AND r.paragraph < (length(s.text) - length(replace(s.text, :blank, ''))) / 2 + 1))
         ORDER BY s.again_at DESC NULLS LAST, r.story_id IS NULL, s.id DESC
         LIMIT :most
        """,
        {"eyes": eyes, "most": most, "among": among, "blank": "\n\n"},
    ).fetchall()
    return [_card(row) for row in rows]


def count_stories(db: Connection, *, eyes: int) -> int:
    """How many those eyes may see."""
    row = db.execute("SELECT count(*) AS stories FROM stories WHERE guarded <= :eyes", {"eyes": eyes}).fetchone()
    return int(row["stories"])


def book_tales(db: Connection, child_ids: Sequence[int]) -> list[str]:
    """The tales of the book that any of these children heard, most recent last."""
    heard: dict[str, int] = {}
    for child_id in child_ids:
        rows = db.execute(
            """
            SELECT s.tale, max(s.id) AS last
              FROM casts c JOIN stories s ON s.request_id = c.request_id
             WHERE c.child_id = :child_id AND s.tale IS NOT NULL
             GROUP BY s.tale
            """,
            {"child_id": child_id},
        ).fetchall()
        for row in rows:
            heard[row["tale"]] = max(row["last"], heard.get(row["tale"], 0))
    return sorted(heard, key=heard.__getitem__)


def tale_key(job_id: int) -> str:
    """The dedupe key of the tale that is told while this job waits: pressed twice, it is one."""
    return f"instead-of-{job_id}"


def _values(db: Connection, which: Filter) -> dict[str, str | int | None]:
    match, names = _wanted(which.words, all_children(db) if which.words else [])
    return {
        "match": match,
        "names": json.dumps(names),
        "child_id": which.child_id,
        "only": which.only,
        "series": which.series,
        "eyes": which.eyes,
    }


def _wanted(words: str, people: Sequence[Child]) -> tuple[str, list[dict[str, str | list[int]]]]:
    """What every story has to have in its words, for FTS5; and each word that begins a nickname, too: with whose it is.

    Each word is a beginning, and quoted: nothing that is typed has a meaning for FTS5. Characters that stand apart in the
    index follow each other. What has no word in it, as 🦊 has
    none, can only be a nickname.
    """
    match: list[str] = []
    names: list[dict[str, str | list[int]]] = []
    for word in _words(words) or [folded(words).casefold().strip()] * bool(words):
        is_word = _WORD.fullmatch(word) is not None
        ids = [child.id for child in people if word and any(part.startswith(word) for part in _parts(child.nickname))]
        if ids or not is_word:
            names.append({"ids": ids, "match": f'"{apart(word)}"*' if is_word else '""'})
        else:
            match.append(f'"{apart(word)}"*')
    return " ".join(match), names


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text).casefold())


def _parts(nickname: str) -> list[str]:
    return [folded(nickname).casefold(), *_words(nickname)]


def _card(row: Row) -> ShelfStory:
    fields = dict(row)
    last_part = fields.pop("last_part") or 1
    truths = {name: bool(fields[name]) for name in ("favourite", "held", "hidden")}
    return ShelfStory(**{**fields, **truths}, parts=max(last_part, row["part"]))
