"""Facts → the two messages that leave the house.

A fact is one line between `<facts>` and `</facts>`. It has no line end and no angle bracket of its own, so that whatever
a family types can neither close the fence nor begin a line.
"""

from collections.abc import Iterator
from pathlib import Path

from bedtime.model import BANDS, Prompt
from bedtime.prompt.cleaning import clean
from bedtime.prompt.facts import Facts, FactsListener
from bedtime.prompt.phrases import AGES, MOODS, PLOTS, PRONOUNS, REACTIONS, WORDS, language_name
from bedtime.prompt.room import fitting
from bedtime.prompt.shapes import SHAPES

_SYSTEM = Path(__file__).with_name("storyteller.txt").read_text(encoding="utf-8").strip()
_BRACKETS = str.maketrans("<>", "‹›")


def compose(facts: Facts, *, max_tokens: int | None) -> Prompt:
    """The prompt, with a limit of 4 tokens a word and 800 more where `max_tokens` is None. Facts without room are cut."""
    fence = ["<facts>", *fitting(list(_fact_lines(facts))), "</facts>"]
    user = "\n".join([*fence, "", "\n\n".join(_orders(facts))])
    return Prompt(_SYSTEM, user, max_tokens if max_tokens is not None else 4 * facts.words + 800)


# --- inside the fence: data -----------------------------------------------------------------------


def _fact_lines(facts: Facts) -> Iterator[str]:
    given = [pair for at, listener in enumerate(facts.listeners) for pair in _about(listener, leads=at == 0)]
    given += [("Also in the story", _who(name, pronouns)) for name, pronouns in facts.mentioned]
    given += [("Wished for", facts.idea), ("Happened today", facts.today)]
    given += [("A lesson that happens and that nobody says", facts.lesson)]
    given += [("What happened before", facts.recap), ("Who was there before", facts.cast)]
    given += [("An opening that was used already", opening) for opening in facts.avoid_openings]
    given += [("What they said of an earlier story", said) for said in facts.reactions if not _known(said)]
    given += [("A note from the family", note) for note in facts.notes]
    return (f"{label}: {value}" for label, text in given if (value := _one_line(text)))


def _about(listener: FactsListener, *, leads: bool) -> list[tuple[str, str]]:
    name = _one_line(listener.name)
    role = "The listener who leads" if leads else "A listener"
    return [
        (role, f"{_who(name, listener.pronouns)}, {AGES.get(listener.band, listener.band)} years old"),
        (f"{name} likes", listener.likes),
        (f"Friends and toys of {name}", listener.friends),
        (f"To be left out for {name}", listener.leave_out),
    ]


def _who(name: str, pronouns: str) -> str:
    return f"{name} ({PRONOUNS.get(pronouns, pronouns)})"


def _one_line(text: str) -> str:
    return " ".join(clean(text, instead=" ").translate(_BRACKETS).split())


# --- after the fence: orders ----------------------------------------------------------------------


def _orders(facts: Facts) -> Iterator[str]:
    yield _length(facts)
    yield from _bands(facts.listeners)
    if facts.shape in SHAPES:
        yield f"The shape: {SHAPES[facts.shape]}"
    if facts.mood in MOODS:
        yield f"The mood: {MOODS[facts.mood]}"
    if _goes_on(facts):
        yield _sequel(facts.part)
    if facts.avoid_openings:
        place = "" if _goes_on(facts) else ", and in another place"
        yield f"Open in another way than the openings among the facts{place}."
    yield from _advice(facts)


def _length(facts: Facts) -> str:
    language = language_name(facts.language)
    return (
        f"Write tonight's story in {language}: about {facts.words} words, which take {facts.minutes} minutes to read "
        f"aloud. Fewer than {facts.words * 85 // 100} is too short, more than {facts.words * 115 // 100} too long."
        + ("" if language.endswith("English") else _NOT_ENGLISH)
    )


_NOT_ENGLISH = (
    " Tell it as one who grew up with that language would, not as a translation. Sentence lengths below are meant for "
    "English: keep the breath, not the count."
)


def _bands(listeners: tuple[FactsListener, ...]) -> Iterator[str]:
    """With siblings the youngest sets the words and the oldest sets the plot."""
    bands = sorted({listener.band for listener in listeners} & set(BANDS), key=BANDS.index)
    if bands:
        yield f"The words, for somebody who is {AGES[bands[0]]}: {WORDS[bands[0]]}"
    if len(bands) > 1:
        yield f"The plot, for somebody who is {AGES[bands[-1]]} and listens too: {PLOTS[bands[-1]]}."
    if len(listeners) > 1:
        yield "Each of the children does something that the story could not do without; the one who leads turns it."


def _goes_on(facts: Facts) -> bool:
    return facts.part > 1 or bool(facts.recap)


def _sequel(part: int) -> str:
    which = f"This is part {part} of a story" if part > 1 else "This goes on from an earlier story"
    return (
        f"{which}: the same people and the same small world, with a trouble of its own that is solved tonight. One "
        "sentence near the start is enough of a reminder. Keep to what happened before; don't tell it again."
    )


def _advice(facts: Facts) -> Iterator[str]:
    """What follows from each reaction, once. A sequel keeps what happened, so that it is not told to change it."""
    story = "the last story" if facts.reacted_to_last else "an earlier story"
    anew = "" if _goes_on(facts) else ", and change all that happens"
    for advice in dict.fromkeys(map(_known, facts.reactions)):
        if advice:
            yield advice.format(story=story, anew=anew)


def _known(said: str) -> str:
    return REACTIONS.get(said.strip().lower().replace("_", " "), "")
