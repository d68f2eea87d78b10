"""No spending beyond the cap, whatever a provider does, says or bills; and what the form promises is never too low."""

import datetime
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from provider import Provider
from workbench import NOW, Workbench

from bedtime import library, prompt
from bedtime.model import Listener, Price, Prompt, Wish
from bedtime.prompt.room import FACTS_BYTES
from bedtime.telling import Estimate, recover_dead
from bedtime.telling.estimate import roughly

USED = 3232  # of a story, as the provider bills it

FAULTS = (
    "ok",
    "usage_missing",
    "usage_negative",
    "usage_absurd",
    "usage_zero",
    "usage_thinking",
    "null_content",
    "refusal",
    "finish_length",
    "status:400:content_filter",
    "cut_stream",
    "reset_after_read",
    "empty200",
    "status:500",
    "status:400",
    "status:402",
    "429",
)


def worst_case(house: Workbench) -> int:
    """What one call for the plain wish reserves."""
    return house.call(house.told().id).reserved_micros


def test_spent_and_reserved_stand_between_the_bill_and_the_cap_after_every_commit(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    cap_micros = 120_000
    house = workbench(cap_micros=cap_micros)
    seen: list[int] = []
    observe = house.parts.database.observe

    def watch(step: str) -> None:
        observe(step)
        if step.endswith(".after_commit"):
            seen.append(house.committed())
            assert USED * len(provider.bills()) <= seen[-1] <= cap_micros, step

    house.database.observe = watch
    ends: list[str | None] = []
    for mode in random.Random(7).choices(FAULTS, k=60):
        provider.set_mode(mode)
        job = house.told()
        ends.append(job.error_code)
        house.cancel(job.id)
        house.resume()
    last = ends.index("over_budget")
    assert last > 8 and set(ends[last:]) == {"over_budget"}, "once it is over, nothing is sent any more"
    assert len(provider.requests()) == last and len(set(seen)) > 8


def test_the_last_call_fits_to_the_micro_and_one_micro_less_does_not(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    reserved = worst_case(workbench())
    assert workbench(cap_micros=reserved).told().status == "completed"
    posts = len(provider.requests())
    house = workbench(cap_micros=reserved - 1)
    job = house.told()
    assert (job.status, job.error_code, job.sent_at) == ("failed", "over_budget", None)
    assert len(provider.requests()) == posts and house.committed() == 0 and house.parts.spool.kept() == []


def test_a_call_that_runs_already_leaves_its_worst_case_to_nobody(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    reserved = worst_case(workbench())
    house = workbench(cap_micros=2 * reserved - 1)
    second = house.ask()
    house.at["call.sent"] = house.tell  # as a second worker would, while the first still waits
    first = house.ask()
    assert house.tell()
    outcomes = {(house.job(job).status, house.job(job).error_code) for job in (first, second)}
    assert outcomes == {("completed", None), ("failed", "over_budget")}


def test_an_unknown_call_counts_at_its_worst_case_for_the_rest_of_the_month(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    reserved = worst_case(workbench())
    house = workbench(cap_micros=2 * reserved - 1)
    provider.queue("cut_stream")
    assert house.told().error_code == "maybe_billed"
    assert house.committed() == reserved and house.told().error_code == "over_budget"


def test_a_new_month_has_its_whole_cap_again_and_a_late_answer_counts_in_its_own(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    reserved = worst_case(workbench())
    house = workbench(cap_micros=reserved)
    end = datetime.datetime(2027, 2, 1, tzinfo=datetime.UTC).timestamp()
    house.now = end - 0.5
    provider.queue("empty200")
    assert house.told().error_code == "maybe_billed" and house.told().error_code == "over_budget"

    def next_month() -> None:
        house.now = end + 1

    assert house.committed() == reserved
    house.now = end
    assert house.committed() == 0 and house.told().status == "completed"

    house = workbench(cap_micros=2 * reserved)
    house.now, house.at["call.first_byte"] = end - 0.5, next_month
    call = house.call(house.told().id)
    assert (call.period, call.spent_micros, house.committed()) == ("2027-01", USED, 0)


@pytest.mark.parametrize("per_million", ["0.000001", "0.1", "0.333333", "17.5", "999.999999"])
def test_a_price_of_any_decimals_reserves_and_settles_whole_micros_never_too_few(
    workbench: Callable[..., Workbench], per_million: str
) -> None:
    price = Price(*(int(Fraction(per_million) * 1_000_000 * part) for part in (1, 3)))
    house = workbench(price=price, cap_micros=10**12)
    call = house.call(house.told().id)
    exact = Fraction(per_million) * (612 + 3 * 655)
    assert type(call.spent_micros) is int and exact <= call.spent_micros < exact + 1
    assert type(call.reserved_micros) is int and call.reserved_micros >= call.spent_micros


def test_what_is_sent_beside_the_prompt_counts_in_the_worst_case(workbench: Callable[..., Workbench]) -> None:
    plain = workbench().parts.storyteller
    assert plain
    schema = {"response_format": {"type": "json_schema", "json_schema": {"description": "🐉 word " * 1000}}}
    more = replace(plain, endpoint=replace(plain.endpoint, extra=schema))
    told = Prompt("a", "b", 100)
    assert more.worst_case(told) >= plain.worst_case(told) + len("🐉 word ".encode()) * 1000


def test_what_another_storyteller_costs_says_nothing_of_an_answer_that_was_bought_before(
    workbench: Callable[..., Workbench],
) -> None:
    house = workbench()
    job_id = house.ask()

    def pull_the_plug() -> None:
        raise KeyboardInterrupt

    house.at["receive.after_commit"] = pull_the_plug
    with pytest.raises(KeyboardInterrupt):
        house.tell()
    sold = house.parts.storyteller
    assert sold
    at_home = replace(sold, endpoint=replace(sold.endpoint, url="http://192.168.1.5/v1"), price=Price(0, 0))
    recover_dead(replace(house.parts, storyteller=at_home))
    call = house.call(job_id)
    assert (call.status, call.spent_micros) == ("settled", call.reserved_micros)


@pytest.mark.parametrize(("limit", "spent"), [(100, 2620), (33, 2620), (32, 128)])
def test_a_bill_above_the_worst_case_counts_as_it_is_up_to_what_can_be_true(
    workbench: Callable[..., Workbench], limit: int, spent: int
) -> None:
    house = workbench(max_tokens=limit, price=Price(0, 4_000_000))  # and the provider says that it wrote 655
    call = house.call(house.told().id)
    assert (call.tokens_out, call.reserved_micros, call.spent_micros) == (655, 4 * limit, spent)


@pytest.mark.parametrize(
    ("told_by", "spent"),
    [
        ("storyteller-1", USED),
        ("storyteller-1-2026-01-02", USED),
        ("nobody-knows-it", USED),
        ("gpt-5-nano", USED),
        ("gpt-4.1", 612 * 2 + 655 * 8),
        ("gpt-4.1-2025-04-14", 612 * 2 + 655 * 8),
        ("o4-mini", -(-(612 * 11 + 655 * 44) // 10)),
    ],
)
def test_an_answer_by_another_model_costs_what_the_dearer_of_both_does(
    workbench: Callable[..., Workbench], provider: Provider, told_by: str, spent: int
) -> None:
    """The prices are 1 and 4: a dearer one counts, a cheaper one does not."""
    house = workbench()
    provider.queue(f"told_by:{told_by}")
    call = house.call(house.told().id)
    assert (call.status, call.spent_micros) == ("settled", spent)


def test_a_server_at_home_may_call_its_model_by_any_name_and_stays_free(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench(price=Price(0, 0))
    provider.queue("told_by:gpt-4.1")
    assert house.call(house.told().id).spent_micros == 0


# --- what the form promises -----------------------------------------------------------------------

WIDE = "🐉"
TYPED = {"idea": 500, "today": 300, "lesson": 200}


def filled(most: int, name: str) -> str:
    """Letters of four bytes; or full of a name, for which a longer stand-in is sent."""
    return ((name + " ") * most if name else WIDE * most)[:most].strip()


@pytest.mark.parametrize("name", ["", "Al", "Jo", "🐻"])
@pytest.mark.parametrize("reactions", [(), library.REACTIONS])
def test_what_the_form_says_that_it_costs_at_most_is_never_less_than_what_is_reserved(
    workbench: Callable[..., Workbench], name: str, reactions: tuple[str, ...]
) -> None:
    house = workbench(cap_micros=10**12)
    names = (name, "Bo", "Cy") if name else tuple(WIDE * 39 + mark for mark in "abc")
    bands = ("4-5", "4-5", "8-10")
    children = tuple(Listener(*fields, "they") for fields in zip(names, bands, strict=True))
    texts = {field: filled(most, name) for field, most in TYPED.items()}
    wish = Wish(children, minutes=15, language="xx-abcdefgh-abcdefgh-abcdefgh-abcdefgh", mood="very_sleepy", **texts)
    told = [house.told(wish)]
    with house.database.transaction("fill") as tx:
        for child in library.all_children(tx):
            library.update_child(
                tx, replace(child, likes=filled(300, name), friends=filled(300, name), leave_out=filled(300, name))
            )
        for _ in range(30):
            library.add_note(tx, filled(200, name), expires_at=NOW + 1, now=NOW)
    for _ in range(8):
        with house.database.transaction("react") as tx:
            story_id = library.story_of_job(tx, told[-1].id)
            for reaction in reactions:
                library.react(tx, story_id or 0, reaction, now=NOW)
        told.append(house.told(replace(wish, continues=story_id)))
    with house.database.reading() as db:
        cost = Estimate(house.parts.storyteller, 10**12, None, "UTC").cost(db, now=house.now)
    reserved = [house.call(job.id).reserved_micros for job in told]
    assert cost is not None and max(reserved) <= cost.at_most, f"{max(reserved) - cost.at_most} micros more"
    assert {job.status for job in told} == {"completed"}


def test_facts_that_are_too_long_are_cut_and_the_short_ones_stay_whole() -> None:
    listener = prompt.FactsListener("Ottoline", "4-5", "she", likes="🐉" * 3000)
    facts = prompt.Facts(
        (listener,), words=360, minutes=3, idea="a shy dragon", recap="long " * 5000, notes=("é" * 9,) * 40
    )
    user = prompt.compose(facts, max_tokens=None).user
    fence = user[: user.index("</facts>")]
    assert len(fence.encode()) <= FACTS_BYTES + len("<facts>\n")
    assert "Wished for: a shy dragon\n" in fence and fence.count("é" * 9) == 40 and fence.count("…\n") == 2
    assert len(user.encode()) <= len(prompt.longest(words=360, minutes=3, max_tokens=None).user.encode())


@pytest.mark.parametrize(
    ("count", "said"), [(0, 0), (7, 7), (99, 99), (100, 100), (109, 100), (1522, 1500), (1599, 1500), (98765, 98000)]
)
def test_how_many_stories_are_left_is_said_no_finer_than_anybody_knows_and_never_too_many(
    count: int, said: int
) -> None:
    assert roughly(count) == said
