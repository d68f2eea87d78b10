"""The checks of the tales, proved: a good tale is spoiled in one way, and the check for it says so."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tale_checks import ALONE, BESIDE

import bedtime
from bedtime.storytellers.tales import Tale, load

GOOD = (Path(bedtime.__file__).parent / "tales" / "the-sneeze-behind-the-bakery.md").read_text(encoding="utf-8")
BODY = GOOD.partition("\n\n")[2]
LAST = "And the wall stayed warm till morning."
LONG = "and then " + "the cat went on to the next house and " * 3 + "stopped"

# check, what is replaced, what by, what the complaint has to name
SPOILED = [
    ("english_right", LAST, "{group.They} {lead.was} asleep, and they was warm.", "paragraph 27, with 1 (she): a verb"),
    ("english_right", LAST, "She are warm.", "does not go with she"),
    ("english_right", LAST, "He have an oven.", "does not go with she or he"),
    ("english_right", LAST, "They’s asleep.", "they’s"),
    ("english_right", LAST, "It was a apple.", "a where an"),
    ("english_right", LAST, "It was an pear.", "an where a"),
    ("english_right", LAST, "It was warm , and so on.", "a space before a mark"),
    ("english_right", LAST, "It was the the wall.", "a word twice"),
    ("english_right", LAST, "“ It was warm.”", "marks in disorder"),
    ("wording_clean", LAST, "Little did they know.", "little did they know"),
    ("wording_clean", LAST, "And so it was that they slept.", "and so it was that"),
    ("wording_clean", LAST, "His heart began to swell.", "a heart that swells"),
    ("wording_clean", LAST, "The stars began to twinkle.", "stars that twinkle"),
    ("wording_clean", LAST, "It was a tapestry.", "tapestry"),
    ("wording_clean", LAST, "A testament to toast.", "testament"),
    ("wording_clean", LAST, "Only a whisper of wind.", "whisper of"),
    ("wording_clean", LAST, "The dance of the lamps.", "dance of"),
    ("wording_clean", LAST, "Pudding had learned that waiting helps.", "learned that"),
    ("wording_clean", LAST, "Then all was still. The end.", "the end"),
    ("wording_clean", LAST, "Once upon a time it was warm.", "once upon a time"),
    ("wording_clean", LAST, "And they all lived warmly.", "and they all lived"),
    ("type_clean", LAST, "It wasn't cold.", "a straight quote"),
    ("type_clean", LAST, "It was warm...", "three dots"),
    ("type_clean", LAST, "# The end of the street", "Markdown"),
    ("type_clean", LAST, "It was **warm**.", "Markdown"),
    ("type_clean", LAST, "“It was warm.", "1 quotes open and 0 close"),
    ("type_clean", LAST, "It went *fft.", "1 asterisks"),
    ("length_right", LAST, "Warm bread. " * 250, "expected 350 to 900"),
    ("minutes_true", "minutes: 4", "minutes: 6", "501 words are 4.2 minutes; expected 6 within 15 %, 612 to 828 words"),
    ("sentences_fit", LAST, "Oh. " * 60, "expected 8 to 11 in band 4-5"),
    (
        "sentences_fit",
        LAST,
        f"It was late, {LONG}.",
        "paragraph 27: 33 words in 'It was late, and then the …'; expected 22",
    ),
    ("paragraphs_fit", LAST, "It was warm. " * 9, "paragraph 27: 9 sentences; expected 8 at most"),
    ("paragraphs_fit", LAST, "\n\n".join(["It was warm. It was late."] * 20), "expected 3 to 4"),
    ("energy_falls", LAST, f"It was late, {LONG}. " * 3, "in prose without speech; expected fewer than the middle"),
    ("energy_falls", LAST, "It was warm! And still! And late!", "exclamation and question marks in 100 words"),
    (
        "energy_falls",
        LAST,
        "“Sleep,” he said. “Yes,” said the cat. “Good,” he said. “Oh.” “Ah.”",
        "quotes in 100 words",
    ),
    ("names_sparing", LAST, "Good night, {lead}. " * 9, "child 1 of 1 is named 20 times; expected 16 at most"),
    ("siblings_in_it", BODY, "{lead} slept.\n\n" * 3 + "{group} slept.", "child 2 of 2 is in 1 paragraphs; expected 3"),
]


def spoiled(folder: Path, old: str, new: str) -> Tale:
    assert old in GOOD
    (folder / "bad.md").write_text(GOOD.replace(old, new), encoding="utf-8")
    book = load(folder)
    assert not book.faults
    return book.tales[0]


@pytest.mark.parametrize(("check", "old", "new", "complaint"), SPOILED, ids=lambda value: str(value)[:30])
def test_a_spoiled_tale_is_caught(tmp_path: Path, check: str, old: str, new: str, complaint: str) -> None:
    tale = spoiled(tmp_path, old, new)
    complaints = [each for name in ALONE if name.__name__ == check for each in name(tale)]
    assert any(complaint in each for each in complaints), complaints


def test_a_brace_that_is_left_over_is_caught(tmp_path: Path) -> None:
    slots_filled = ALONE[0]
    tale = spoiled(tmp_path, LAST, "It was warm.")
    assert not list(slots_filled(tale))
    leaking = dataclasses.replace(tale, body="{companion} slept.", defaults={"companion": "{oops}"})
    assert any("a brace is left in '{oops} slept.'" in each for each in slots_filled(leaking))


@pytest.mark.parametrize("check", BESIDE, ids=lambda check: check.__name__)
def test_two_tales_alike_are_caught(tmp_path: Path, check: Callable[[Tale, Tale], Iterator[str]]) -> None:
    (tmp_path / "one.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "two.md").write_text(GOOD, encoding="utf-8")
    one, two = load(tmp_path).tales
    assert any("two.md" in each for each in check(one, two))


def test_every_check_is_proved() -> None:
    assert {check.__name__ for check in ALONE} == {row[0] for row in SPOILED} | {"slots_filled"}
