"""Which tale the built-in book chooses, and how it is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bedtime.errors import Closed, NotFound
from bedtime.model import Child, Wish
from bedtime.storytellers.book import BookTeller

AddTale = Callable[..., None]

PLAIN = {"title": "A Plain Tale", "band": "4-5", "minutes": "5", "shape": "guest"}
PLAIN |= {"motifs": "spoon", "place": "house", "season": "any", "cast": "nobody else"}


@pytest.fixture
def add(tmp_path: Path) -> AddTale:
    def add_tale(slug: str, body: str = "{lead} slept.", **header: str) -> None:
        lines = "\n".join(f"{key}: {value}" for key, value in (PLAIN | header).items())
        (tmp_path / f"{slug}.md").write_text(f"{lines}\n\n{body}\n", encoding="utf-8")

    return add_tale


def child(band: str = "4-5", *, likes: str = "", leave_out: str = "", friends: str = "", name: str = "Mia") -> Child:
    return Child(1, name, band, "she", likes=likes, leave_out=leave_out, friends=friends)


def wish(idea: str = "", *, today: str = "", minutes: int = 5, mood: str = "calm") -> Wish:
    return Wish((), idea=idea, today=today, minutes=minutes, mood=mood)


def choose(folder: Path, wished: Wish, *children: Child, told: tuple[str, ...] = ()) -> str:
    return BookTeller(folder).choose(wished, children, told).slug


# --- what is chosen -------------------------------------------------------------------------------


def test_the_youngest_listener_sets_the_band(tmp_path: Path, add: AddTale) -> None:
    add("a-for-older", band="6-7", motifs="dragon")
    add("b-for-younger", band="4-5")
    assert choose(tmp_path, wish("a dragon"), child("6-7"), child("4-5")) == "b-for-younger"


def test_a_neighbouring_band_is_taken_when_the_own_one_is_used_up(tmp_path: Path, add: AddTale) -> None:
    add("a-own", band="4-5")
    add("b-neighbour", band="6-7")
    assert choose(tmp_path, wish(), child("4-5"), told=("a-own",)) == "b-neighbour"


def test_a_small_child_hears_a_tale_again_rather_than_one_far_too_old(tmp_path: Path, add: AddTale) -> None:
    add("a-for-big-ones", band="8-10")
    add("b-for-small-ones", band="2-3")
    assert choose(tmp_path, wish(), child("2-3"), told=("b-for-small-ones",)) == "b-for-small-ones"


def test_a_tale_far_too_old_is_better_than_none(tmp_path: Path, add: AddTale) -> None:
    add("a-for-big-ones", band="8-10")
    assert choose(tmp_path, wish(), child("2-3")) == "a-for-big-ones"


@pytest.mark.parametrize("idea", ["a shy dragon", "DRAGONS!", "two drágons", "the dragon’s birthday"])
def test_the_idea_finds_its_motif_whatever_its_case_number_and_accents(tmp_path: Path, add: AddTale, idea: str) -> None:
    add("a-plain")
    add("b-dragon", motifs="cave, dragons")
    assert choose(tmp_path, wish(idea), child()) == "b-dragon"


def test_the_idea_counts_more_than_today_and_today_more_than_likes(tmp_path: Path, add: AddTale) -> None:
    add("a-liked", motifs="train")
    add("b-today", motifs="snow")
    add("c-idea", motifs="dragon")
    assert choose(tmp_path, wish("dragon", today="it snowed, so much snow"), child(likes="trains")) == "c-idea"
    assert choose(tmp_path, wish(today="so much snow"), child(likes="trains")) == "b-today"
    assert choose(tmp_path, wish(), child(likes="trains")) == "a-liked"


def test_a_subject_counts_more_than_a_word_in_the_text(tmp_path: Path, add: AddTale) -> None:
    add("a-mentions", body="{lead} saw a dragon in a book.")
    add("b-about", motifs="dragon")
    assert choose(tmp_path, wish("dragon"), child()) == "b-about"


def test_of_two_equal_tales_the_one_nearer_in_minutes_is_told(tmp_path: Path, add: AddTale) -> None:
    add("a-short", minutes="3")
    add("b-long", minutes="7")
    assert choose(tmp_path, wish(minutes=8), child()) == "b-long"
    assert choose(tmp_path, wish(minutes=4), child()) == "a-short"


def test_the_mood_leans_towards_shapes(tmp_path: Path, add: AddTale) -> None:
    add("a-journey", shape="long-way-home")
    add("b-sleepless", shape="cannot-sleep")
    add("c-swap", shape="swap")
    moods = ("adventure", "very_sleepy", "funny")
    chosen = [choose(tmp_path, wish(mood=mood), child()) for mood in moods]
    assert chosen == ["a-journey", "b-sleepless", "c-swap"]


def test_two_tales_of_one_shape_do_not_follow_each_other(tmp_path: Path, add: AddTale) -> None:
    add("a-guest", shape="guest")
    add("b-guest", shape="guest")
    add("c-swap", shape="swap")
    assert choose(tmp_path, wish(), child(), told=("a-guest",)) == "c-swap"


def test_nothing_is_told_twice_while_another_is_left(tmp_path: Path, add: AddTale) -> None:
    add("a-dragon", motifs="dragon")
    add("b-plain")
    assert choose(tmp_path, wish("dragon"), child(), told=("a-dragon",)) == "b-plain"


def test_when_all_were_told_the_one_told_longest_ago_comes_back(tmp_path: Path, add: AddTale) -> None:
    add("a-first")
    add("b-second")
    add("c-third")
    told = ("a-first", "b-second", "c-third", "a-first")
    assert choose(tmp_path, wish(), child(), told=told) == "b-second"


def test_the_same_question_has_the_same_answer(tmp_path: Path, add: AddTale) -> None:
    for slug in ("c-third", "a-first", "b-second"):
        add(slug)
    assert {choose(tmp_path, wish("a moon"), child()) for _ in range(5)} == {"a-first"}


# --- what is left out -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "leave_out", ["spiders, hospitals", "no Spiders please", "scary spiders", "clowns\nspider", "wolves and spiders"]
)
def test_what_a_child_wants_left_out_is_left_out(tmp_path: Path, add: AddTale, leave_out: str) -> None:
    add("a-spider", motifs="dragon", body="A spider sat on {lead}’s shoe.")
    add("b-plain")
    assert choose(tmp_path, wish("dragon"), child(leave_out=leave_out)) == "b-plain"


def test_one_word_of_a_phrase_is_enough_if_a_tale_is_about_it(tmp_path: Path, add: AddTale) -> None:
    add("a-spider", motifs="spider")
    add("b-plain")
    assert choose(tmp_path, wish(), child(leave_out="hairy spiders")) == "b-plain"


def test_what_any_listener_wants_left_out_is_left_out_even_if_it_means_hearing_one_again(
    tmp_path: Path, add: AddTale
) -> None:
    add("a-spider", motifs="spider")
    add("b-plain")
    children = (child(), child(leave_out="spiders"))
    assert choose(tmp_path, wish(), *children, told=("b-plain",)) == "b-plain"


def test_if_every_tale_has_it_the_one_with_least_of_it_is_told(tmp_path: Path, add: AddTale) -> None:
    add("a-both", motifs="spider, wolf")
    add("b-one", motifs="spider")
    assert choose(tmp_path, wish(), child(leave_out="spiders, wolf")) == "b-one"


# --- parts, and telling ---------------------------------------------------------------------------


def test_a_next_part_waits_until_the_part_before_was_told(tmp_path: Path, add: AddTale) -> None:
    add("a-part-two", motifs="dragon", after="b-part-one")
    add("b-part-one")
    assert choose(tmp_path, wish("dragon"), child()) == "b-part-one"
    assert choose(tmp_path, wish("dragon"), child(), told=("b-part-one",)) == "a-part-two"


def test_the_book_knows_which_tale_goes_on(tmp_path: Path, add: AddTale) -> None:
    add("part-one")
    add("part-two", after="part-one", body="{lead} slept on.")
    teller = BookTeller(tmp_path)
    assert (teller.continues("part-one"), teller.continues("part-two")) == ("part-two", None)
    assert teller.tell_again("part-two", [child()]).text == "{child:1} slept on."
    with pytest.raises(NotFound):
        teller.tell_again("part-three", [child()])


def test_the_chosen_tale_is_told_with_slots_for_names(tmp_path: Path, add: AddTale) -> None:
    add("a-tale", title="{lead} and the Spoon", body="{group} slept.")
    slug, draft = BookTeller(tmp_path).tell(wish(), [child(), child(name="Theo")], ())
    assert (slug, draft.title, draft.text) == (
        "a-tale",
        "{child:1} and the Spoon",
        "{child:1} and {child:2} slept.",
    )


def test_an_empty_book_says_so(tmp_path: Path) -> None:
    teller = BookTeller(tmp_path)
    assert teller.faults
    with pytest.raises(Closed):
        teller.choose(wish(), [child()], ())
