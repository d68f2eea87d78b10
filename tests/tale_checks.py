"""What a tale of the built-in book has to keep to; each check answers with the place, the number and the bound."""

from collections.abc import Callable, Iterator
from statistics import mean

from tale_measures import plain, sentences, start, stretches, told, words
from tale_wording import english_right, slots_filled, type_clean, wording_clean

from bedtime.model import WORDS_A_MINUTE, Draft
from bedtime.storytellers.tales import Tale

WORDS_A_SENTENCE = {"2-3": (5, 8), "4-5": (8, 11), "6-7": (9, 14), "8-10": (11, 17)}
SENTENCES_A_PARAGRAPH = {"2-3": (2, 3), "4-5": (3, 4), "6-7": (4, 5), "8-10": (5, 6)}
WORDS_A_TALE = (350, 900)
MINUTES_OFF = 0.15
NAMES_A_PAGE, WORDS_A_PAGE = 3, 100
RUN_OF_WORDS = 8
SIBLING_PARAGRAPHS = 3
# --- one tale -------------------------------------------------------------------------------------


def length_right(tale: Tale) -> Iterator[str]:
    least, most = WORDS_A_TALE
    for children in (1, 2, 3):
        count = len(words(told(tale, children).text))
        if not least <= count <= most:
            yield f"whole tale: {count} words with {children} listening; expected {least} to {most}"


def minutes_true(tale: Tale) -> Iterator[str]:
    count, expected = len(words(told(tale).text)), tale.minutes * WORDS_A_MINUTE
    least, most = (1 - MINUTES_OFF) * expected, (1 + MINUTES_OFF) * expected
    if not least <= count <= most:
        yield (
            f"header minutes: {count} words are {count / WORDS_A_MINUTE:.1f} minutes; "
            f"expected {tale.minutes} within 15 %, {least:.0f} to {most:.0f} words"
        )


def sentences_fit(tale: Tale) -> Iterator[str]:
    least, most = WORDS_A_SENTENCE[tale.band]
    for children in (1, 2):
        draft = told(tale, children)
        lengths = [len(words(s)) for paragraph in draft.paragraphs for s in sentences(paragraph)]
        if not least <= round(mean(lengths), 1) <= most:
            bound = f"expected {least} to {most} in band {tale.band}"
            yield f"whole tale: {mean(lengths):.1f} words a sentence with {children} listening; {bound}"
        for where, sentence in every_sentence(draft):
            if len(words(sentence)) > 2 * most:
                bound = f"expected {2 * most} at most in band {tale.band}"
                yield f"{where}: {len(words(sentence))} words in '{start(sentence)}'; {bound}"


def every_sentence(draft: Draft) -> Iterator[tuple[str, str]]:
    for number, paragraph in enumerate(draft.paragraphs, start=1):
        for sentence in sentences(paragraph):
            yield f"paragraph {number}", sentence


def paragraphs_fit(tale: Tale) -> Iterator[str]:
    """Paragraphs of prose of two sentences or more; talk and a single line are beats, and are not counted."""
    least, most = SENTENCES_A_PARAGRAPH[tale.band]
    paragraphs = told(tale).paragraphs
    counted = [count for each in paragraphs if "“" not in each and (count := len(sentences(each))) > 1]
    average = mean(counted) if counted else 0
    if not least - 0.5 <= average <= most + 0.5:
        bound = f"expected {least} to {most}, give or take a half, in band {tale.band}"
        yield f"whole tale: {average:.1f} sentences a paragraph of prose; {bound}"
    for number, paragraph in enumerate(paragraphs, start=1):
        if (count := len(sentences(paragraph))) > 2 * most:
            yield f"paragraph {number}: {count} sentences; expected {2 * most} at most in band {tale.band}"


def energy_falls(tale: Tale) -> Iterator[str]:
    """Shorter sentences, all together or in the prose alone: a talkative middle is short of breath, not of energy."""
    for children in (1, 2):
        middle, last = stretches(told(tale, children))
        where = f"last quarter, from '{start(last.sentences[0])}' on, with {children} listening"
        late, earlier = last.words_a_sentence, middle.words_a_sentence
        late_prose, earlier_prose = last.words_a_sentence_of_prose, middle.words_a_sentence_of_prose
        if late >= earlier and late_prose >= earlier_prose:
            bound = f"expected fewer than the middle half's {earlier:.2f}, or than its {earlier_prose:.2f} in prose"
            yield f"{where}: {late:.2f} words a sentence, {late_prose:.2f} in prose without speech; {bound}"
        for marks, what in (("[!?]", "exclamation and question marks"), ("“", "quotes")):
            late, earlier = last.a_hundred_words(marks), middle.a_hundred_words(marks)
            if late > earlier or late == earlier > 0:
                yield f"{where}: {late:.2f} {what} in 100 words; expected fewer than the middle half's {earlier:.2f}"


def names_sparing(tale: Tale) -> Iterator[str]:
    for children in (1, 2, 3):
        draft = told(tale, children)
        most = NAMES_A_PAGE * len(words(draft.text)) / WORDS_A_PAGE
        for position in range(1, children + 1):
            count = draft.text.count(f"{{child:{position}}}")
            if count > most:
                bound = f"expected {most:.0f} at most, {NAMES_A_PAGE} in {WORDS_A_PAGE} words"
                yield f"whole tale: child {position} of {children} is named {count} times; {bound}"


def siblings_in_it(tale: Tale) -> Iterator[str]:
    for children, position, least in ((2, 2, SIBLING_PARAGRAPHS), (3, 3, 2), (1, 1, SIBLING_PARAGRAPHS)):
        slot = f"{{child:{position}}}"
        count = sum(slot in paragraph for paragraph in told(tale, children).paragraphs)
        if count < least:
            yield f"whole tale: child {position} of {children} is in {count} paragraphs; expected {least} or more"


# --- among its neighbours -------------------------------------------------------------------------


def opening_of_its_own(tale: Tale, other: Tale) -> Iterator[str]:
    mine, theirs = (sentences(told(each).paragraphs[0])[0] for each in (tale, other))
    if plain(mine) == plain(theirs):
        yield f"paragraph 1: opens like {other.slug}.md: '{start(mine, 12)}'; expected an opening of its own"


def ending_of_its_own(tale: Tale, other: Tale) -> Iterator[str]:
    mine, theirs = (sentences(told(each).paragraphs[-1])[-1] for each in (tale, other))
    if plain(mine) == plain(theirs):
        yield f"last paragraph: ends like {other.slug}.md: '{start(mine, 12)}'; expected an ending of its own"


def runs_of_its_own(tale: Tale, other: Tale) -> Iterator[str]:
    theirs = {run for children in (1, 3) for _, run in runs(other, children)}
    found = {(place, run) for children in (1, 3) for place, run in runs(tale, children) if run in theirs}
    for place, run in sorted(found):
        yield f"paragraph {place}: '{run}' is in {other.slug}.md too; expected no {RUN_OF_WORDS} words the same"


def runs(tale: Tale, children: int) -> Iterator[tuple[int, str]]:
    """Every run of eight words inside a paragraph, with the paragraph's number."""
    for number, paragraph in enumerate(told(tale, children).paragraphs, start=1):
        spoken = plain(paragraph).split()
        for at in range(len(spoken) - RUN_OF_WORDS + 1):
            yield number, " ".join(spoken[at : at + RUN_OF_WORDS])


ALONE: tuple[Callable[[Tale], Iterator[str]], ...] = (
    *(slots_filled, english_right, wording_clean, type_clean, length_right, minutes_true),
    *(sentences_fit, paragraphs_fit, energy_falls, names_sparing, siblings_in_it),
)
BESIDE: tuple[Callable[[Tale, Tale], Iterator[str]], ...] = (opening_of_its_own, ending_of_its_own, runs_of_its_own)
