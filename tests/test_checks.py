"""What holds a story for a grown-up, and what does not. Both rates are printed at the end of the run."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from growth import times_dearer
from phrases import HARMLESS, HARMLESS_ELSEWHERE, UNSAFE, UNSAFE_ELSEWHERE
from provider_story import STORY

from bedtime import checks
from bedtime.checks import CODES, Asked, held
from bedtime.model import Child, Draft
from bedtime.storytellers.book import BookTeller

TALES = Path(__file__).parent.parent / "bedtime" / "tales"
FAMILY = [Child(1, "Mia", "4-5", "she"), Child(2, "Theo", "6-7", "he"), Child(3, "Bo", "4-5", "they")]
QUIET = Draft(
    "The Lamp Who Came Second",
    tuple(STORY.format(name="{child:1}").replace("\n\n", "\0").replace("\n", " ").split("\0")[1:-3]),
)
ASKED = Asked(words=QUIET.words, language="en", positions=frozenset({1, 2}), finish_reason="stop")
# The same evening in other languages, so that a foreign sentence stands among its own kind.
ELSEWHERE = {
    "de": "Der kleine Fuchs ging nicht nach Hause, und die Nacht war still. Er saß auf dem Stein und sah sich den Mond an. ",
    "fr": "Le petit renard ne rentrait pas, et la nuit était calme dans le bois. Il regardait la lune qui était sur les toits. ",
    "es": "El zorro no se iba a la casa, y la noche era tranquila en el bosque. La luna era grande y el zorro la miraba. ",
    "it": "La volpe non andava a casa e la notte era calma nel bosco. La luna era grande e la volpe si fermava con gli occhi. ",
    "sv": "Den lilla räven gick inte hem, och det var en stilla natt. Han satt på en sten och såg att månen var stor. ",
    "da": "Den lille ræv gik ikke hjem, og det var en stille nat. Han sad på en sten og så at månen var stor. ",
}


def with_phrase(phrase: str) -> Draft:
    """A quiet story with one more paragraph in the middle of it."""
    middle = len(QUIET.paragraphs) // 2
    return replace(QUIET, paragraphs=(*QUIET.paragraphs[:middle], phrase, *QUIET.paragraphs[middle:]))


def elsewhere(language: str, phrase: str) -> tuple[str, ...]:
    draft = Draft("♥", (ELSEWHERE[language] * 3, phrase, ELSEWHERE[language] * 2))
    return held(draft, Asked(words=draft.words, language=language, positions=frozenset()))


def tales() -> list[tuple[str, Draft]]:
    book = BookTeller(TALES)
    slugs = sorted(path.stem for path in TALES.glob("*.md") if path.stem != "README")
    return [(slug, book.tell_again(slug, FAMILY[:many])) for slug in slugs for many in (1, 2, 3)]


def test_seeded_phrases_are_caught_and_harmless_text_is_not(record_property: Callable[[str, object], None]) -> None:
    caught = [code in held(with_phrase(phrase), ASKED) for code, phrase in UNSAFE]
    caught += [code in elsewhere(language, phrase) for language, code, phrase in UNSAFE_ELSEWHERE]
    everyone = Asked(words=700, language="en", positions=frozenset({1, 2, 3}))
    wrong = [bool(held(with_phrase(phrase), ASKED)) for phrase in HARMLESS]
    wrong += [bool(elsewhere(language, phrase)) for language, phrase in HARMLESS_ELSEWHERE]
    wrong += [bool(held(draft, everyone)) for _, draft in tales()]
    record_property("safety", f"{sum(caught)} of {len(caught)} seeded phrases caught")
    record_property("safety", f"{sum(wrong)} of {len(wrong)} harmless texts held")
    assert (sum(caught), sum(wrong)) == (len(caught), 0)
    assert len(HARMLESS) >= 60


@pytest.mark.parametrize(("code", "phrase"), UNSAFE, ids=range(len(UNSAFE)))
def test_a_story_with_such_a_phrase_is_held(code: str, phrase: str) -> None:
    assert code in held(with_phrase(phrase), ASKED)
    assert code in CODES


@pytest.mark.parametrize("phrase", HARMLESS, ids=range(len(HARMLESS)))
def test_a_harmless_sentence_holds_nothing(phrase: str) -> None:
    assert held(with_phrase(phrase), ASKED) == ()


@pytest.mark.parametrize(("language", "code", "phrase"), UNSAFE_ELSEWHERE)
def test_some_other_languages_have_a_few_words_too(language: str, code: str, phrase: str) -> None:
    assert code in elsewhere(language, phrase)


@pytest.mark.parametrize(("language", "phrase"), HARMLESS_ELSEWHERE)
def test_each_language_is_read_by_its_own_words(language: str, phrase: str) -> None:
    assert elsewhere(language, phrase) == ()


def test_no_tale_of_the_book_would_be_held() -> None:
    asked = Asked(words=700, language="en", positions=frozenset({1, 2, 3}))
    assert [(slug, held(draft, asked)) for slug, draft in tales() if held(draft, asked)] == []


def test_a_title_is_read_like_the_rest() -> None:
    assert held(replace(QUIET, title="How the fox killed the hen"), ASKED) == ("violence",)


@pytest.mark.parametrize(
    ("finish_reason", "codes"),
    [("stop", ()), (None, ()), ("eos", ()), ("length", ("cut_short",)), ("tool_calls", ("finish",))],
)
def test_how_the_answer_ended_counts(finish_reason: str | None, codes: tuple[str, ...]) -> None:
    assert held(QUIET, replace(ASKED, finish_reason=finish_reason)) == codes


def test_a_story_that_was_cut_off_is_held() -> None:
    assert held(replace(QUIET, flags=("cut_short",)), ASKED) == ("cut_short",)


def test_a_story_of_an_answer_that_could_not_be_read_throughout_is_held() -> None:
    assert held(QUIET, replace(ASKED, gap=True)) == ("gap",)


@pytest.mark.parametrize(("times", "codes"), [(0.5, ()), (2, ()), (4, ("too_short",)), (0.3, ("too_long",))])
def test_far_off_the_wished_length_is_held_and_a_little_off_is_not(times: float, codes: tuple[str, ...]) -> None:
    assert held(QUIET, replace(ASKED, words=int(QUIET.words * times))) == codes


def test_chinese_is_measured_by_its_letters() -> None:
    told = Draft("月", ("小狐狸坐在石头上看月亮。" * 60,))
    assert held(told, Asked(words=360, language="zh", positions=frozenset())) == ()


@pytest.mark.parametrize(
    ("wished", "codes"),
    [
        ("en", ()),
        ("en-GB", ()),
        ("de", ("language",)),
        ("fr", ("language",)),
        ("fi", ("language",)),
        ("ru", ("language",)),
        ("ja", ("language",)),
        ("sr-Latn", ()),
        ("gsw", ()),  # nothing is known of it here
    ],
)
def test_another_language_is_held_only_where_there_is_no_doubt(wished: str, codes: tuple[str, ...]) -> None:
    assert held(QUIET, replace(ASKED, language=wished)) == codes


def test_a_child_of_the_house_who_has_no_place_in_the_story_is_told() -> None:
    assert held(QUIET, replace(ASKED, names_another=True)) == ("other_child",)


def test_all_that_is_wrong_is_said_in_one_order() -> None:
    draft = with_phrase("You must go outside. Call 911! The gun was at www.example.com.")
    assert held(draft, ASKED) == ("link", "phone", "order", "violence")


@pytest.mark.parametrize(
    "piece", [" ", "a!", "{child:1}, ", "you must ", "“", "' ", "0", "kill ", "now, ", "a.", "[name", "@a"]
)
def test_patience_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    def look(length: int) -> None:
        held(Draft("A title", ((piece * length)[:length] or " ",)), ASKED)

    assert times_dearer(look, 64_000) < 8


def test_the_codes_are_words() -> None:
    """They are kept with spaces between them."""
    assert len(set(CODES)) == len(CODES) and all(code.isidentifier() for code in checks.CODES)
