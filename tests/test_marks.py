"""Markdown in a reply is not read aloud: stress is stress, a heading is a line of words, and no word is lost."""

import pytest
from growth import times_dearer
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bedtime import casting
from bedtime.lettering import pieces
from bedtime.model import Role
from bedtime.prompt import read_reply


def told(story: str) -> tuple[str, ...]:
    return read_reply(f"The Owl\n\n{story}\n\nThe owl sat.", cut_short=False).paragraphs[:-1]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**boo**, said the owl.", "*boo*, said the owl."),
        ("It went _fft_ and __fft__.", "It went *fft* and *fft*."),
        ("***hum***", "*hum*"),
        ("**The End**", "*The End*"),
        ("It was **very\nlate** now.", "It was *very late* now."),
        ("**It was _so_ *very* late.**", "*It was so very late.*"),
        ("_“Hoo!”_ **{child:1}**", "*“Hoo!”* *{child:1}*"),
        ("## Chapter One: The Sock", "Chapter One: The Sock"),
        ("### **The Sock** ###", "*The Sock*"),
        ("> The note said\n> good night.", "The note said good night."),
        ("> > # The note", "The note"),
    ],
)
def test_marks_of_a_line_go_and_marks_of_stress_become_one(written: str, shown: str) -> None:
    assert told(written) == (shown,)


@pytest.mark.parametrize(
    "text",
    ["snake_case_word and 2 * 3 * 4", "The ___ was **late", "#1 of the owls", "a * b", "_late", "It >hummed< so."],
)
def test_what_is_no_markdown_stays_as_it_is(text: str) -> None:
    assert told(text) == (text,)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("He packed:\n- one sock\n- one shoe", ("He packed:", "- one sock", "- one shoe")),
        ("He packed\n* a sock\n* a shoe,\nall red\n* a hat", ("He packed", "– a sock", "– a shoe, all red", "– a hat")),
        ("1. one sock\n2. one shoe", ("1. one sock", "2. one shoe")),
        ("## One\nIt was late and\nthe owl sat.", ("One", "It was late and the owl sat.")),
        ("The owl sat\n- it was cold -\non a branch.", ("The owl sat - it was cold - on a branch.",)),
        ("> Hoo.\n>\n> Good night.", ("Hoo.", "Good night.")),
    ],
)
def test_a_heading_and_each_line_of_a_list_stand_alone(written: str, shown: tuple[str, ...]) -> None:
    assert told(written) == shown


@pytest.mark.parametrize("mark", ["***", "---", "# # #", "* * *", "#", "> ***", "## ***"])
def test_a_break_stays_a_break(mark: str) -> None:
    assert told(f"It was late.\n\n{mark}\n\nMorning came.") == ("It was late.", "***", "Morning came.")


@pytest.mark.parametrize(
    "title", ["The *Very* Slow Snail", "# The **Very** Slow Snail", "**The** _Very_ Slow **Snail**"]
)
def test_a_title_has_no_stress(title: str) -> None:
    assert read_reply(f"{title}\n\nIt was late.", cut_short=False).title == "The Very Slow Snail"
    assert read_reply("*Very* Slow\n\nIt was late.", cut_short=False).title == "Very Slow"
    assert read_reply("The *one* owl sat.", cut_short=False).title == "The one owl sat"


def test_a_stand_in_under_stress_becomes_its_slot() -> None:
    draft = read_reply("The Owl\n\n_Tamsin_ hummed, and **Tamsin** slept.", cut_short=False)
    kept = casting.draft_to_slots(draft, [Role(1, 1, "Tamsin", "she")])
    assert kept.paragraphs == ("*{child:1}* hummed, and *{child:1}* slept.",)
    assert ("{child:1}", True) in pieces(kept.text)


MARKS = ["*", "**", "***", "_", "__", "\n> ", "\n## ", "\n- ", "\n* ", "\n1. ", "\n", "\n\n", " ", ". "]


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(MARKS), st.sampled_from(MARKS)), min_size=1, max_size=30))
@example([("**", " "), ("_", "**"), (" ", "_")])
def test_no_word_is_lost_between_marks_and_none_comes_twice(marks: list[tuple[str, str]]) -> None:
    words = [f"w{number:03}" for number in range(len(marks))]
    body = " ".join(f"{before}{word}{after}" for word, (before, after) in zip(words, marks, strict=True))
    shown = " ".join(read_reply(f"# The Owl\n\n{body}", cut_short=False).paragraphs)
    assert [shown.count(word) for word in words] == [1] * len(words)


@pytest.mark.parametrize("unit", ["**a ", "_a ", "**_a_** ", "> ", "- a\n", "# a\n", "## # ", "*a ** "])
def test_many_marks_take_time_by_their_number(unit: str) -> None:
    def read(length: int) -> None:
        read_reply("x\n\n" + unit * (length // len(unit)), cut_short=False)

    assert times_dearer(read, 65536) < 8
