"""What a call is told of this family and of the stories before: who plays tonight, and what is only hidden."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from home import Home

from bedtime import casting, library
from bedtime.casting.roles import _POOLS
from bedtime.model import Child, Story, Wish
from bedtime.telling.preparing import Plan
from bedtime.telling.preview import preview


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    house = Home(tmp_path)
    yield house
    house.database.close()


def planned(home: Home, wish: Wish, *, send_names: bool = False) -> Plan:
    with home.database.reading() as db:
        return preview(db, wish, max_tokens=None, send_names=send_names, now=home.now)


def players(plan: Plan) -> list[int | None]:
    return [role.child_id for role in plan.roles]


def change(home: Home, child: Child, **fields: str) -> None:
    with home.database.transaction("change") as tx:
        library.update_child(tx, replace(child, **fields))


def note(home: Home, text: str) -> None:
    with home.database.transaction("note") as tx:
        library.add_note(tx, text, expires_at=home.now + 9, now=home.now)


def react(home: Home, story: Story, *reactions: str) -> None:
    with home.database.transaction("react") as tx:
        for reaction in reactions:
            library.react(tx, story.id, reaction, now=home.now)


def tale_that_opens(home: Home, opening: str, *children: Child) -> Story:
    story = home.tale(*children)
    with home.database.transaction("edit") as tx:
        tx.execute("UPDATE stories SET text = ? WHERE id = ?", (opening, story.id))
    return story


# --- who plays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("send_names", [False, True])
def test_a_brother_who_is_only_in_old_openings_notes_and_what_is_left_out_stays_out(
    home: Home, send_names: bool
) -> None:
    mia, theo = home.child("Mia"), home.child("Theo", pronouns="he")
    tale_that_opens(home, "A sock was found by {child:2}.", mia, theo)
    change(home, mia, likes="the boat of Theo", leave_out="fights with Theo")
    note(home, "Theo is at camp")
    plan = planned(home, home.wish(mia, idea="a lamp"), send_names=send_names)
    assert players(plan) == [mia.id]
    assert "Also in the story" not in plan.prompt.user
    for hidden in ("by someone.", "boat of someone", "fights with someone", "someone is at camp"):
        assert hidden in plan.prompt.user
    assert "Theo" not in plan.prompt.user


@pytest.mark.parametrize("field", ["idea", "today", "lesson", "friends"])
def test_a_brother_whom_the_wish_or_a_friend_names_plays(home: Home, field: str) -> None:
    mia, theo = home.child("Mia"), home.child("Theo", pronouns="he")
    if field == "friends":
        change(home, mia, friends="Theo, Hops")
    plan = planned(home, home.wish(mia, **({} if field == "friends" else {field: "with Theo"})))
    assert players(plan) == [mia.id, theo.id]
    assert f"Also in the story: {plan.roles[1].stand_in} (he, him)" in plan.prompt.user


def test_whoever_was_in_the_part_before_plays_in_the_next(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo", pronouns="he")
    story = home.tale(mia, theo)
    assert players(planned(home, home.wish(mia, continues=story.id))) == [mia.id, theo.id]


def test_no_stand_in_is_a_word_of_a_text_that_puts_nobody_into_the_story(home: Home) -> None:
    mia = home.child("Mia")
    free, *taken = _POOLS["she"]
    change(home, mia, leave_out=" ".join(taken[::2]))
    for at in range(1, len(taken), 20):
        note(home, " ".join(taken[at : at + 20 : 2]))
    assert planned(home, home.wish(mia)).roles[0].stand_in == free


def test_what_stands_beside_the_texts_casts_nobody_and_is_hidden() -> None:
    mia, theo = Child(1, "Mia", "4-5", "she"), Child(2, "Theo", "6-7", "he")
    roles = casting.cast([mia], [mia, theo], ["Mia"], beside=["Theo"], seed=1)
    assert [role.child_id for role in roles] == [1]
    assert casting.hide("Mia and Theo", roles, [mia, theo]) == f"{roles[0].stand_in} and someone"


# --- what they said of the stories before -----------------------------------------------------------


def test_only_the_newest_story_of_which_they_said_anything_steers_the_next(home: Home) -> None:
    mia = home.child("Mia")
    oldest, middle, last = (home.tale(mia) for _ in range(3))
    react(home, oldest, "too_babyish")
    react(home, middle, "too_hard", "loved_it")
    user = planned(home, home.wish(mia)).prompt.user
    assert "They found an earlier story too hard" in user and "They loved an earlier story" in user
    assert "too babyish" not in user and "last story" not in user
    react(home, last, "too_long")
    user = planned(home, home.wish(mia)).prompt.user
    assert "They found the last story too long" in user
    assert "too hard" not in user and "They loved" not in user and "earlier story" not in user
