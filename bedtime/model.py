"""The words: the frozen values that one floor hands to the next.

Times are unix seconds (UTC), spans are seconds, money is whole micro-units of the household's currency.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bedtime.lettering import words_aloud

BANDS = ("2-3", "4-5", "6-7", "8-10")
PRONOUNS = ("she", "he", "they")
MOODS = ("calm", "funny", "adventure", "very_sleepy")
STATUSES = ("pending", "running", "completed", "failed", "cancelled")
WORDS_A_MINUTE = 120

STORIES, BOOK = "stories", "book"  # queues
WRITE_STORY, TELL_TALE = "write_story", "tell_tale"  # kinds
PRIORITY_OF_PEOPLE = 10


@dataclass(frozen=True, slots=True)
class Child:
    """A profile: who a story is for. Only `nickname` is a name, and it stays in the house."""

    id: int
    nickname: str
    band: str
    pronouns: str
    likes: str = ""
    friends: str = ""
    leave_out: str = ""


@dataclass(frozen=True, slots=True)
class Listener:
    """A child as the form has it: a profile's id, or the three fields of one that may be new."""

    nickname: str = ""
    band: str = ""
    pronouns: str = ""
    child_id: int | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """A checked form. Two wishes with equal fields have one fingerprint."""

    children: tuple[Listener, ...]
    idea: str = ""
    today: str = ""
    minutes: int = 6
    mood: str = "calm"
    lesson: str = ""
    language: str = "en"
    continues: int | None = None
    from_book: bool = False

    @property
    def expected_words(self) -> int:
        return self.minutes * WORDS_A_MINUTE

    def fingerprint(self) -> str:
        """SHA-256 (hex) of the fields, taken before profiles are looked up."""
        fields = json.dumps(self, default=_by_name, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(fields.encode()).hexdigest()


def _by_name(value: Any) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__slots__}  # asdict would copy each of them first


@dataclass(frozen=True, slots=True)
class StoryRequest:
    """A wish written down, with the job that tells it and the children it is for, lead first.

    `shape` is chosen when it is told, and empty before.
    """

    id: int
    job_id: int
    wish: Wish
    children: tuple[Child, ...]
    shape: str
    created_at: float


@dataclass(frozen=True, slots=True)
class Role:
    """One place in a story: slot `{child:position}` in the kept text, `stand_in` on the wire.

    `child_id` is None once the profile was deleted. `listens` is False for a child of the household who is only mentioned.
    """

    position: int
    child_id: int | None
    stand_in: str
    pronouns: str
    listens: bool = True


@dataclass(frozen=True, slots=True)
class Draft:
    """What a storyteller hands back, read but not kept yet: text with slots, never with names.
    `flags` says what is worth a word to the family: `cut_short`, `no_title`."""

    title: str
    paragraphs: tuple[str, ...]
    recap: str = ""
    cast: str = ""
    flags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)

    @property
    def words(self) -> int:
        return words_aloud(self.text)

    @property
    def minutes(self) -> int:
        """How long it takes to read aloud, which need not be what was wished for."""
        return max(1, round(self.words / WORDS_A_MINUTE))


@dataclass(frozen=True, slots=True)
class Story:
    """A draft that is kept. `title` and `paragraphs` hold slots; `told_by` is `book` or the model's name."""

    id: int
    job_id: int
    request_id: int
    title: str
    paragraphs: tuple[str, ...]
    language: str
    minutes: int
    told_by: str
    tale: str | None
    recap: str
    cast: str
    shape: str
    place: str
    season: str
    series: int | None
    part: int
    favourite: bool
    flags: tuple[str, ...]
    created_at: float


@dataclass(frozen=True, slots=True)
class Job:
    """A row of `jobs`. The fence of a claim is `(id, attempts)`."""

    id: int
    queue: str
    kind: str
    payload: Mapping[str, int]
    status: str
    priority: int
    run_after: float
    expires_at: float | None
    attempts: int
    claimed_at: float | None
    lease_expires_at: float | None
    claimed_by: str | None
    sent_at: float | None
    failures: int
    error_code: str | None
    error_text: str | None
    retry_of: int | None
    dedupe_key: str | None
    created_at: float
    completed_at: float | None

    @property
    def may_cost_twice(self) -> bool:
        """Whether asking again may pay a second time: nobody knows what became of the call, or whether there was one."""
        return self.error_code == "maybe_billed" or (self.error_code == "restored" and self.queue != BOOK)


@dataclass(frozen=True, slots=True)
class Call:
    """A row of the ledger: one request to a provider."""

    id: int
    job_id: int
    attempt: int
    model: str
    host: str
    status: str
    period: str
    reserved_micros: int
    spent_micros: int | None
    tokens_in: int | None
    tokens_out: int | None
    draft: str
    words: int
    raw: bytes | None
    finish_reason: str | None
    outcome: str | None
    sent_at: float
    received_at: float | None
    settled_at: float | None


@dataclass(frozen=True, slots=True)
class Price:
    """Money per million tokens, in micro-units."""

    input_micros: int
    output_micros: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """Exactly what leaves the house, and the limit that the reservation counts with."""

    system: str
    user: str
    max_tokens: int
