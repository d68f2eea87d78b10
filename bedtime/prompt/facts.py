"""What a storyteller is told about tonight; every text in it has stand-ins for names already."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FactsListener:
    """A child who listens. `name` is the stand-in."""

    name: str
    band: str
    pronouns: str
    likes: str = ""
    friends: str = ""
    leave_out: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """One evening. The lead is the first of the `listeners`; what is empty is not mentioned.

    `mentioned` are stand-in and pronouns of children who are in the story and don't listen; `part` is 1 for a story of its
    own; `reactions` are those to one story, the last one or an earlier one; `notes` is what the
    household wants to be kept in mind.
    """

    listeners: tuple[FactsListener, ...]
    words: int
    minutes: int
    idea: str = ""
    today: str = ""
    mood: str = "calm"
    lesson: str = ""
    language: str = "en"
    shape: str = ""
    avoid_openings: tuple[str, ...] = ()
    recap: str = ""
    cast: str = ""
    part: int = 1
    reactions: tuple[str, ...] = ()
    reacted_to_last: bool = True
    notes: tuple[str, ...] = ()
    mentioned: tuple[tuple[str, str], ...] = ()
