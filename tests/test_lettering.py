"""How long a text is, in any script: the same count while it arrives, for the story, and for what holds it."""

import base64
import json
from collections.abc import Callable

import pytest
from growth import times_dearer
from provider import Provider
from workbench import MIA, Workbench

from bedtime import llm
from bedtime.lettering import words_aloud
from bedtime.model import WORDS_A_MINUTE, Draft, Wish
from bedtime.prompt import looks_like_refusal
from bedtime.telling.ending import arrived
from bedtime.telling.noting import Noting

NIGHT = "ちいさなきつねはいしのうえでつきをみた。"  # twenty characters, nineteen of them letters
SIX_MINUTES = tuple(NIGHT * 8 for _ in range(9))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("It was late.", 3),
        ("Es war spät, “Über” – nun.", 6),
        ("Лиса спала.", 2),
        ("여우가 잤다.", 2),
        (NIGHT, 10),
        ("狐狸 睡了。", 4),
        ("จิ้งจอก", 3),
    ],
)
def test_a_script_without_spaces_has_a_word_for_two_letters(text: str, count: int) -> None:
    assert words_aloud(text) == count


def test_a_story_of_six_minutes_takes_six_minutes_in_japanese() -> None:
    draft = Draft("月", SIX_MINUTES)
    assert draft.minutes == 6 and abs(draft.words - 6 * WORDS_A_MINUTE) < WORDS_A_MINUTE / 2
    assert not looks_like_refusal("I can't help with that. " + draft.text)
    raw = json.dumps({"tale": draft.text}).encode()
    assert llm.text_of_another_shape(raw) == draft.text


def test_words_are_counted_alike_while_they_arrive_and_when_they_are_whole(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()
    reply = "\n\n".join(["月", *SIX_MINUTES])
    provider.queue(f"text:{base64.urlsafe_b64encode(reply.encode()).decode()}")
    seen: list[int] = []

    def look() -> None:
        Noting(house.parts, 1, ())(NIGHT * 8)
        seen.append(house.call(1).words)

    house.at["call.first_byte"] = look
    house.at["spool.synced"] = lambda: seen.append(arrived(house.parts, house.job(1))[1])
    job = house.told(Wish((MIA,), minutes=6, language="ja"))
    assert job.status == "completed"
    assert [*seen, house.call(job.id).words] == [words_aloud(NIGHT * 8), words_aloud(reply), words_aloud(reply)]


@pytest.mark.parametrize("unit", ["a ", "ä ", "月", "月 ", "กิ"])
def test_counting_takes_time_by_the_length(unit: str) -> None:
    def count(length: int) -> None:
        words_aloud(unit * (length // len(unit)))

    assert times_dearer(count, 262144) < 8
