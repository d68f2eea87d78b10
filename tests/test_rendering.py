"""How a tale is told for these children: names stay slots, and the English is right."""

from types import MappingProxyType

import pytest

from bedtime.model import Child
from bedtime.storytellers.rendering import render
from bedtime.storytellers.tales import Tale

DEFAULTS = MappingProxyType({"companion": "the cloth rabbit", "thing": "the cup", "food": "apple", "spot": "the yard"})


def tale(body: str, *, title: str = "A Tale", cast: str = "Pudding (he), a dragon", recap: str = "") -> Tale:
    return Tale("a-tale", title, "4-5", 5, "shy-one", ("dragon", "cat"), "town", "any", cast, DEFAULTS, body, recap)


def told(body: str, *pronouns: str, friends: str = "") -> str:
    names = ("Mia", "Theo", "Bo")
    children = [Child(n, names[n], "4-5", each, friends=friends) for n, each in enumerate(pronouns or ("she",))]
    text = render(tale(body), children).text
    for position, name in enumerate(names, start=1):
        text = text.replace(f"{{child:{position}}}", name)
    return text


def test_names_stay_slots() -> None:
    draft = render(tale("{lead} and {group} slept.", title="{lead}’s Tale"), [Child(7, "Mia", "4-5", "she")])
    assert (draft.title, draft.paragraphs) == ("{child:1}’s Tale", ("{child:1} and {child:1} slept.",))


def test_the_group_is_one_two_or_three() -> None:
    body = "{group} slept."
    assert told(body, "she") == "Mia slept."
    assert told(body, "she", "he") == "Mia and Theo slept."
    assert told(body, "she", "he", "they") == "Mia, Theo and Bo slept."


@pytest.mark.parametrize(
    ("pronouns", "expected"),
    [
        (("she",), "She looks, goes, is, was, has and does: it is hers, her own, for her, herself."),
        (("he",), "He looks, goes, is, was, has and does: it is his, his own, for him, himself."),
        (("they",), "They look, go, are, were, have and do: it is theirs, their own, for them, themself."),
    ],
)
@pytest.mark.parametrize("who", ["lead", "group"])
def test_pronouns_and_verbs_agree(pronouns: tuple[str, ...], expected: str, who: str) -> None:
    body = (
        "{X.They} look{X.s}, go{X.es}, {X.is}, {X.was}, {X.has} and {X.does}: "
        "it is {X.theirs}, {X.their} own, for {X.them}, {X.themself}."
    )
    assert told(body.replace("X", who), *pronouns) == expected


def test_several_are_they_whatever_each_of_them_is() -> None:
    body = "{group} {group.was} there. {group.They} look{group.s} at {group.themself}."
    assert told(body, "she", "he") == "Mia and Theo were there. They look at themselves."


def test_a_name_takes_a_singular_verb_even_where_its_pronoun_takes_a_plural() -> None:
    assert (
        told("{group} {group.was} there, and {group.they} {group.was} glad.", "they")
        == "Mia was there, and they were glad."
    )
    assert told("“{lead.Is} {lead} here?” So {lead.they} {lead.was}.", "they") == "“Is Mia here?” So they were."


def test_a_choice_follows_the_number_of_children() -> None:
    body = "{alone|{lead} sang|{second} sang and {third} hummed}."
    assert told(body, "she") == "Mia sang."
    assert told(body, "she", "he") == "Theo sang and Theo hummed."
    assert told(body, "she", "he", "they") == "Theo sang and Bo hummed."


def test_a_paragraph_that_is_chosen_away_leaves_no_gap() -> None:
    assert (
        told("{lead} slept.\n\n{alone||{second} slept.}\n\nThe cat {alone||also }slept.")
        == "Mia slept.\n\nThe cat slept."
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{companion} sat. {companion} slept.", "The cloth rabbit sat. The cloth rabbit slept."),
        ("“{companion} sat,” said Pudding.", "“The cloth rabbit sat,” said Pudding."),
        ("“Who?” {lead.they} asked.", "“Who?” she asked."),
        ("So {Companion} sat.", "So The cloth rabbit sat."),
        ("{lead}’s cup, {companion}’s cup.", "Mia’s cup, the cloth rabbit’s cup."),
        ("They ate a {food} in {spot}.", "They ate an apple in the yard."),
    ],
)
def test_capitals_possessives_and_articles(body: str, expected: str) -> None:
    assert told(body) == expected


@pytest.mark.parametrize(
    ("friends", "companion"),
    [
        ("", "the cloth rabbit"),
        ("Hops", "Hops"),
        ("Hops the rabbit; Grandma", "Hops the rabbit"),
        ("my friend Sam", "Sam"),
        ("a rabbit called Hops\nGrandma", "Hops"),
        ("grandma", "Grandma"),
        ("my mum", "Mum"),
        ("Theo's rabbit", "Theo's rabbit"),
        ("theo’s rabbit", "theo’s rabbit"),
        ("James’ old boat", "James’ old boat"),
        ("James' boat", "James' boat"),
        ("Grandma's dog", "Grandma's dog"),
        ("grandma’s dog", "Grandma’s dog"),
        ("my mum's scarf", "Mum's scarf"),
        ("my friend Sam's dog", "Sam's dog"),
        ("a dog's bowl", "the dog's bowl"),
        ("and a bear", "the bear"),
        ("& Hops", "Hops"),
        (", And & Hops", "Hops"),
        ("Andy", "Andy"),
        ("Hops and Grandma", "Hops and Grandma"),
        ("a band & a drum", "the band & a drum"),
        ("and Theo, and Hops", "Hops"),
        ("and, &", "the cloth rabbit"),
        ("Blue blanket", "the blue blanket"),
        ("the Gruffalo", "the Gruffalo"),
        ("Hops (a rabbit)", "Hops"),
        ("Theo, Hops", "Hops"),
        (" , ,", "the cloth rabbit"),
        ("x" * 100, "the cloth rabbit"),
    ],
)
def test_the_companion_is_the_first_of_the_leads_friends(friends: str, companion: str) -> None:
    assert told("So {companion} sat.", "she", "he", friends=friends) == f"So {companion} sat."


def test_the_second_friend_is_the_thing_unless_it_is_a_person() -> None:
    assert told("It was {thing}.", friends="Hops, red bucket") == "It was the red bucket."
    assert told("It was {thing}.", friends="Hops, Grandma") == "It was the cup."


def test_the_last_of_a_list_comes_without_its_and() -> None:
    assert told("{companion}, {thing}.", friends="a toy car, and a bear") == "The toy car, the bear."


def test_an_owner_who_opens_a_sentence_gets_a_capital_and_no_article() -> None:
    assert told("{companion} sat.", friends="Theo's rabbit") == "Theo's rabbit sat."


def test_a_plural_thing_takes_a_bare_apostrophe() -> None:
    assert told("It was {thing}’s turn.", friends="Hops, my red shoes") == "It was the red shoes’ turn."
    assert told("It was {companion}’s turn.", friends="Hops") == "It was Hops’s turn."


@pytest.mark.parametrize(
    "friends", ["{child:2}", "{lead.they}", "{alone|a|b}", "}{", "*x*", "<b>x</b>", "\x00{", "a\u202eb"]
)
def test_a_familys_own_words_bring_in_no_slot(friends: str) -> None:
    text = told("So {companion} sat.", friends=friends)
    assert not set("{}*<>|\x00\u202e") & set(text), text


def test_the_recap_is_the_tales_own_or_made_from_its_header() -> None:
    child = Child(1, "Mia", "4-5", "she")
    assert render(tale("x", recap="{lead} slept."), [child]).recap == "{child:1} slept."
    made = render(tale("x"), [child])
    assert made.recap == "In “A Tale”, a shy one is met half-way: dragon, cat. With {child:1}: Pudding, a dragon."
    assert made.cast == "Pudding (he), a dragon"


def test_only_three_can_be_in_it_and_nobody_is_an_error() -> None:
    child = Child(1, "Mia", "4-5", "she")
    assert render(tale("{group} slept."), [child] * 5).text == "{child:1}, {child:2} and {child:3} slept."
    with pytest.raises(ValueError, match="listeners is empty"):
        render(tale("x"), [])
