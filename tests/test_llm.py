"""Every way in which a provider can behave has one outcome, and costs one POST."""

import pytest
from buyer import KEY, PROMPT, Buyer
from provider import Provider
from provider_modes import MODES
from provider_story import story

from bedtime import llm
from bedtime.errors import Closed, Limited, MaybeBilled, Refused, SettingsError

STORY = story(b'{"messages": [{"content": "name: Ottoline"}]}')
WHOLE = {
    **dict.fromkeys(("ok", "ok_json", "slow_first_byte", "content_parts", "reasoning_beside", "finish_unknown"), STORY),
    **dict.fromkeys(
        ("usage_missing", "usage_negative", "usage_absurd", "usage_zero", "usage_thinking", "no_done", "crlf_comments"),
        STORY,
    ),
    **dict.fromkeys(("empty_refusals", "empty_delta", "message_beside"), STORY),
    **dict.fromkeys(("split_events", "marked_once", "not_parted", "early_hints"), STORY),
    **dict.fromkeys(("reset_after", "cut_length", "nul"), STORY),
    "no_title": STORY.partition("\n\n")[2],
    "no_trailer": STORY.partition("\n\n***")[0],
    "think_inside": f"<think>\nA lamp? Yes, a lamp.\n</think>\n\n{STORY}",
    "fenced": f"```text\n{STORY}\n```",
    "bad_utf8": STORY.replace("lamp", "la\ufffdmp"),
    "bad_escape": STORY.replace("found", "The fox canfound", 1),
    "surrogate": STORY.replace("lamp", "la\ufffdmp"),
    "split_utf8": STORY.replace("lamp", "lámpara 💡"),
    "finish_length": STORY[: len(STORY) // 2],
    "finish_content_filter": STORY[: len(STORY) // 2],
    "refusal": "I cannot help with that.",
    "refusal_text": "I'm sorry, but I can't help with that request.",
    "null_content": "",
}
CUT = ("cut_json", "cut_stream", "reset_in", "error200")
WITHOUT_TEXT = (
    "error200_json",
    "empty200",
    "html200",
    "reset_before",
    "reset_in_request",
    "reset_after_read",
    "only_hints",
)
OF_ANOTHER_SHAPE = ("text200", "other_json")
TOO_SLOW = ("hang", "hang_mid", "timeout", "drip", "drip_headers", "drip_framing")
WAITS = {"5": 5, "0.5": 0.5, "-1": 0, "nan": None, "inf": None, "soon": None, "99999999": 99999999, "past": 0, "": None}
SHAPES = ("openai", "lm_studio", "gemini", "old_vllm")


@pytest.fixture
def buyer(provider: Provider) -> Buyer:
    return Buyer(provider)


def test_every_mode_of_the_provider_has_an_outcome_here() -> None:
    assert {*WHOLE, *CUT, *WITHOUT_TEXT, *OF_ANOTHER_SHAPE, *TOO_SLOW, "json_text", "json_story", "huge"} == set(MODES)


@pytest.mark.parametrize("mode", WHOLE)
def test_a_whole_answer_is_read_whatever_its_shape(buyer: Buyer, mode: str) -> None:
    answer = buyer.buy(mode)
    assert answer.text == WHOLE[mode]
    assert llm.read_answer(buyer.raw) == answer
    assert len(buyer.provider.requests()) == len(buyer.provider.bills()) == 1


@pytest.mark.parametrize("mode", CUT)
def test_a_cut_answer_may_have_been_billed_and_its_text_is_kept(buyer: Buyer, mode: str) -> None:
    assert type(buyer.fails(mode)) is MaybeBilled
    assert llm.read_answer(buyer.raw) is None
    text = llm.text_so_far(buyer.raw)
    assert len(text) > 1000 and STORY.startswith(text)
    assert len(buyer.provider.requests()) == 1


@pytest.mark.parametrize("mode", [*WITHOUT_TEXT, "redirect"])
def test_what_broke_off_without_text_may_have_been_billed(buyer: Buyer, mode: str) -> None:
    assert type(buyer.fails(mode)) is MaybeBilled
    assert llm.text_so_far(buyer.raw) == ""
    assert len(buyer.provider.requests()) == 1


@pytest.mark.parametrize("mode", OF_ANOTHER_SHAPE)
def test_a_story_in_a_shape_that_nobody_promised_is_not_lost(buyer: Buyer, mode: str) -> None:
    assert type(buyer.fails(mode)) is MaybeBilled
    assert llm.text_so_far(buyer.raw) == "" and llm.text_of_another_shape(buyer.raw) == STORY


@pytest.mark.parametrize("mode", WITHOUT_TEXT)
def test_what_is_no_story_is_not_taken_for_one(buyer: Buyer, mode: str) -> None:
    buyer.fails(mode)
    assert llm.text_of_another_shape(buyer.raw) == ""


@pytest.mark.parametrize("mode", TOO_SLOW)
def test_an_answer_that_never_ends_ends_at_the_deadline(buyer: Buyer, mode: str) -> None:
    error = buyer.fails(mode, total_seconds=1.0)
    assert type(error) is MaybeBilled and "time" in str(error)
    assert len(buyer.provider.requests()) == len(buyer.provider.bills()) == 1


@pytest.mark.parametrize(
    "status", [400, 401, 402, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 529, 201, 204, 301, 303]
)
def test_each_status_has_its_outcome(buyer: Buyer, status: int) -> None:
    families = {
        429: Limited,
        **dict.fromkeys((401, 402, 403, 404), Closed),
        **dict.fromkeys((400, 413, 415, 422), Refused),
    }
    error = buyer.fails(f"status:{status}")
    assert type(error) is families.get(status, MaybeBilled)
    assert str(status) in str(error)
    assert len(buyer.provider.requests()) == 1
    assert len(buyer.provider.bills()) == (status not in families)
    assert buyer.kept == []


@pytest.mark.parametrize(("status", "reason"), [(401, "key"), (402, "money"), (403, "key"), (404, "model")])
def test_a_closed_door_says_what_to_mend(buyer: Buyer, status: int, reason: str) -> None:
    error = buyer.fails(f"status:{status}")
    assert isinstance(error, Closed) and error.reason == reason


@pytest.mark.parametrize("shape", SHAPES)
def test_what_the_provider_said_is_passed_on_from_every_shape(buyer: Buyer, shape: str) -> None:
    assert str(buyer.fails(f"status:422:{shape}")) == "127.0.0.1 answered 422: The provider said no."


def test_a_page_instead_of_an_error_is_not_passed_on(buyer: Buyer) -> None:
    assert str(buyer.fails("status:502:html")) == "127.0.0.1 answered 502"


def test_a_content_filter_that_refuses_the_prompt_is_billed(buyer: Buyer) -> None:
    filtered, plain = buyer.fails("status:400:content_filter"), buyer.fails("status:400")
    assert isinstance(filtered, Refused) and filtered.billed
    assert isinstance(plain, Refused) and not plain.billed


@pytest.mark.parametrize("said", WAITS)
def test_every_retry_after_is_understood_or_left_out(buyer: Buyer, said: str) -> None:
    error = buyer.fails(f"429:{said}")
    assert isinstance(error, Limited)
    assert error.retry_after == WAITS[said] and not error.quota


def test_a_date_to_retry_after_counts_from_the_date_of_the_answer(buyer: Buyer) -> None:
    error = buyer.fails("429:date")
    assert isinstance(error, Limited) and error.retry_after is not None
    assert error.retry_after > 3600


def test_money_that_is_used_up_is_told_from_haste(buyer: Buyer) -> None:
    error = buyer.fails("429:quota")
    assert isinstance(error, Limited) and error.quota


def test_ten_megabytes_end_at_eight_and_may_have_been_billed(buyer: Buyer) -> None:
    assert type(buyer.fails("huge")) is MaybeBilled
    assert 8_000_000 < len(buyer.raw) < 8.2 * 1024 * 1024


def test_usage_that_nobody_can_believe_is_no_usage(buyer: Buyer) -> None:
    assert (buyer.buy("ok").tokens_in, buyer.buy("ok").tokens_out) == (612, 655)
    for mode in ("usage_missing", "usage_negative", "usage_absurd", "usage_zero"):
        answer = buyer.buy(mode)
        assert (answer.tokens_in, answer.tokens_out) == (None, None)


def test_how_an_answer_finished_is_told(buyer: Buyer) -> None:
    assert buyer.buy("ok").finish_reason == "stop"
    assert buyer.buy("finish_length").finish_reason == "length"
    assert buyer.buy("finish_unknown").finish_reason == "bored"
    assert not buyer.buy("ok").refusal
    assert buyer.buy("finish_content_filter").refusal and buyer.buy("refusal").refusal


def test_the_least_is_sent_and_the_extra_last(buyer: Buyer) -> None:
    buyer.post(llm.Endpoint(buyer.provider.url + "/", "m", KEY, "max_completion_tokens", {"seed": 7, "user": None}))
    request = buyer.provider.requests()[0]
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    messages = [{"role": "system", "content": PROMPT.system}, {"role": "user", "content": PROMPT.user}]
    assert request["json"] == {
        "model": "m", "messages": messages, "stream": True, "stream_options": {"include_usage": True},
        "max_completion_tokens": 900, "seed": 7,
    }  # fmt: skip


def test_without_a_key_none_is_sent(buyer: Buyer) -> None:
    buyer.post(llm.Endpoint(buyer.provider.url, "test"))
    assert "authorization" not in buyer.provider.requests()[0]["headers"]


@pytest.mark.parametrize(
    "name", ["model", "messages", "stream", "n", "max_tokens", "max_completion_tokens", "their_limit", "models"]
)
def test_the_extra_may_not_set_what_the_ledger_counts_on(name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        llm.Endpoint("http://127.0.0.1/v1", "test", max_tokens_field="their_limit", extra={name: None})
