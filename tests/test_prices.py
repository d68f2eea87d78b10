"""What a model costs, what a call can cost at most, and how a parent reads it."""

import datetime
import string
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedtime import prices
from bedtime.model import Price, Prompt
from bedtime.prices import cost, money, price_of, worst_case
from bedtime.values import is_private

MINI = Price(150_000, 600_000)
prices_of_any_size = st.builds(Price, st.integers(0, 10**9), st.integers(0, 10**9))
tokens = st.integers(0, 10**7)


def known(model: str) -> Price | None:
    return price_of(model, private_host=False, override=None)


def test_a_model_is_known_by_its_whole_name() -> None:
    assert known("gpt-4o-mini") == MINI
    assert known("anthropic/claude-haiku-4.5") == Price(1_000_000, 5_000_000)
    assert known("gpt-4.1-nano") == Price(100_000, 400_000)


@pytest.mark.parametrize("model", ["gpt-4o-mini-2024-07-18", "gpt-4o-mini-20240718"])
def test_a_dated_version_costs_what_its_model_costs(model: str) -> None:
    assert known(model) == MINI


def test_a_dated_version_with_a_price_of_its_own_keeps_it() -> None:
    assert known("gpt-4o-2024-08-06") == Price(2_500_000, 10_000_000)
    assert known("gpt-4o-2024-05-13") == Price(5_000_000, 15_000_000)


def test_a_longer_name_is_not_taken_for_a_cheaper_shorter_one() -> None:
    assert known("claude-sonnet-4-5-20250929") == known("claude-sonnet-4-5")
    assert known("claude-sonnet-4-9") is None


@pytest.mark.parametrize(
    "model",
    ["gpt-4o-mini-audio", "gpt-4o-mini-2024-07-18x", "gpt-4o-mini-9", "GPT-4o-mini", "gpt-4o-mini:free", "gpt", "",
     "gpt-4o-mini-2024-07-18\n", "gpt-4o-mini-2024-99-99"],
)  # fmt: skip
def test_a_name_that_only_resembles_has_no_price(model: str) -> None:
    assert known(model) is None


def test_only_a_private_host_is_free_and_only_for_a_model_that_the_table_does_not_know() -> None:
    assert price_of("llama3.2:3b", private_host=True, override=None) == Price(0, 0)
    assert price_of("llama3.2:3b", private_host=False, override=None) is None
    assert price_of("gpt-4o-mini", private_host=True, override=None) == MINI


def test_what_the_household_says_it_pays_wins_over_the_table() -> None:
    said = Price(1, 2)
    assert price_of("gpt-4o-mini", private_host=False, override=said) == said
    assert price_of("gpt-4o-mini", private_host=False, override=Price(0, 0)) == Price(0, 0)


def test_dollars_are_not_taken_for_another_currency() -> None:
    assert price_of("gpt-4o-mini", private_host=False, override=None, currency="JPY") is None
    assert price_of("gpt-4o-mini", private_host=True, override=None, currency="JPY") is None
    assert price_of("gpt-4o-mini", private_host=False, override=MINI, currency="JPY") == MINI
    assert price_of("llama3.2:3b", private_host=True, override=None, currency="JPY") == Price(0, 0)


def test_a_dated_version_is_what_was_asked_for_unless_it_has_a_price_of_its_own() -> None:
    said = Price(1, 2)
    bill = {answered: prices.price_of_answer(said, asked="gpt-4o", answered=answered) for answered in (
        None, "gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-2024-05-13", "gpt-4o-mini"
    )}  # fmt: skip
    assert bill == {
        None: said, "gpt-4o": said, "gpt-4o-2024-08-06": said,
        "gpt-4o-2024-05-13": Price(5_000_000, 15_000_000), "gpt-4o-mini": MINI,
    }  # fmt: skip


def test_another_model_has_no_price_in_a_currency_that_the_table_is_not_in() -> None:
    said = Price(1, 2)
    assert prices.price_of_answer(said, asked="gpt-4o", answered="gpt-4.1", currency="JPY") == said


def test_every_price_in_the_table_can_be_read_and_has_a_date() -> None:
    assert isinstance(prices.dated(), datetime.date)
    for model in prices._table():
        price = known(model)
        assert price is not None
        assert 0 < price.input_micros <= price.output_micros


@given(tokens, tokens, prices_of_any_size)
def test_a_cost_is_exact_and_rounded_up_to_the_next_micro(tokens_in: int, tokens_out: int, price: Price) -> None:
    exact = Fraction(tokens_in * price.input_micros + tokens_out * price.output_micros, 1_000_000)
    assert exact <= cost(tokens_in, tokens_out, price) < exact + 1


def test_a_count_that_cannot_be_earns_no_money_back() -> None:
    assert cost(-5_000_000, 10, MINI) == cost(0, 10, MINI) == 6


@given(st.text(), st.text(), st.integers(1, 10**6), prices_of_any_size, st.data())
def test_no_call_costs_more_than_its_worst_case(
    system: str, user: str, max_tokens: int, price: Price, data: st.DataObject
) -> None:
    prompt = Prompt(system, user, max_tokens)
    a_token_for_each_byte = len(system.encode()) + len(user.encode())
    tokens_in = data.draw(st.integers(0, a_token_for_each_byte + 2 * prices.TOKENS_AROUND_A_MESSAGE))
    tokens_out = data.draw(st.integers(0, max_tokens))
    assert cost(tokens_in, tokens_out, price) <= worst_case(prompt, price)


def test_letters_that_take_several_bytes_count_as_several_tokens() -> None:
    price = Price(1_000_000, 0)
    assert worst_case(Prompt("", "ሀ" * 100, 1), price) - worst_case(Prompt("", "", 1), price) == 300
    assert worst_case(Prompt("", "\ud800", 1), price) - worst_case(Prompt("", "", 1), price) == 3


@pytest.mark.parametrize(
    ("micros", "currency", "text"),
    [
        (41_000, "USD", "$0.05"), (40_000, "USD", "$0.04"), (40_001, "EUR", "€0.05"), (5_000_000, "GBP", "£5.00"),
        (4_200_000, "CHF", "4.20 CHF"), (1, "USD", "less than $0.01"), (9_999, "CHF", "less than 0.01 CHF"),
        (10_000, "USD", "$0.01"), (0, "USD", "$0.00"), (1_234_567_890_000, "USD", "$1234567.89"),
    ],
)  # fmt: skip
def test_a_cost_reads_as_cents_rounded_up(micros: int, currency: str, text: str) -> None:
    assert money(micros, currency) == text


@pytest.mark.parametrize(
    ("micros", "text"),
    [(3_129_999, "$3.12"), (9_999, "less than $0.01"), (10_000, "$0.01"), (0, "$0.00"), (-1, "-$0.01")],
)
def test_what_is_left_reads_as_cents_rounded_down(micros: int, text: str) -> None:
    assert money(micros, "USD", down=True) == text


@given(st.integers(10_000, 10**13))
def test_a_cost_never_reads_smaller_than_it_is_and_a_rest_never_larger(micros: int) -> None:
    def read(text: str) -> int:
        return int("".join(letter for letter in text if letter in string.digits)) * 10_000

    assert micros <= read(money(micros, "USD")) < micros + 10_000
    assert micros - 10_000 < read(money(micros, "USD", down=True)) <= micros


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("127.0.0.1", True), ("10.1.2.3", True), ("172.16.0.1", True), ("172.32.0.1", False), ("192.168.0.1", True),
        ("::1", True), ("[::1]", True), ("fd12::1", True), ("localhost", True), ("box.LOCAL.", True), ("nas.lan", True),
        ("a.home.arpa", True), ("api.openai.com", False), ("local.example", False), ("mylocal", False),
        ("8.8.8.8", False), ("169.254.1.1", False), ("2001:db8::1", False), ("0.0.0.0", False), ("", False),
    ],
)  # fmt: skip
def test_home_is_what_its_name_alone_shows_to_be_at_home(host: str, private: bool) -> None:
    assert is_private(host) is private
