"""What each fault of a provider does to its job, its call and the money: a row a mode of provider_modes.py.

The price is 1 and 4 a million tokens; the provider says that a story took 612 and 655 of them.
"""

from dataclasses import dataclass

USED = 612 * 1 + 655 * 4  # micros
SOON = (2.5, 5.0)  # the first wait of all: between half of five seconds and five


@dataclass(frozen=True)
class Outcome:
    """`spent`: what the call cost, "worst" (settled or counted at its worst case) or 0. `text`: how much of it is kept."""

    mode: str
    status: str
    call: str
    code: str | None = None
    spent: int | str = USED
    paused: str | None = None
    failures: int = 0
    wait: tuple[float, float] | None = None
    bills: int = 1
    text: str = "all"  # all, half, none; or the words themselves
    flags: str = ""
    says: str = ""

    def __str__(self) -> str:
        return self.mode


def told(mode: str, *, spent: int | str = USED, text: str = "all", flags: str = "") -> Outcome:
    return Outcome(mode, "completed", "settled", spent=spent, text=text, flags=flags, says="ready")


def lost(mode: str, *, bills: int = 1, text: str = "none") -> Outcome:
    return Outcome(
        mode, "failed", "unknown", "maybe_billed", spent="worst", bills=bills, text=text, says="lost on the way"
    )


def refused(mode: str) -> Outcome:
    return Outcome(mode, "failed", "refused", "refused", spent=0, bills=0, text="none", says="would not tell this one")


def closed(mode: str, reason: str, says: str) -> Outcome:
    return Outcome(
        mode, "pending", "refused", reason, spent=0, paused=reason, bills=0, text="none", wait=(0, 0), says=says
    )


def limited(mode: str, wait: tuple[float, float] = SOON) -> Outcome:
    return Outcome(
        mode,
        "pending",
        "refused",
        "limited",
        spent=0,
        failures=1,
        wait=wait,
        bills=0,
        text="none",
        says="asks us to wait",
    )


def declined(mode: str, *, text: str) -> Outcome:
    return Outcome(mode, "failed", "settled", "refused", text=text, says="would not tell this one")


OUTCOMES = (
    # a whole answer with text: told, whatever stands around it
    told("ok"),
    told("ok_json"),
    told("content_parts"),
    told("empty_refusals"),
    told("empty_delta"),
    told("message_beside"),
    told("split_events"),
    told("marked_once"),
    told("not_parted"),
    told("bad_escape"),
    told("early_hints"),
    told("slow_first_byte@0.3"),
    told("no_done"),
    told("crlf_comments"),
    told("split_utf8", text="lámpara 💡"),
    told("bad_utf8", text="la\ufffdmp"),
    told("surrogate", text="la\ufffdmp"),
    told("nul"),
    told("reset_after"),
    told("cut_length"),
    told("finish_unknown"),
    told("finish_length", text="half", flags="cut_short"),
    told("reasoning_beside"),
    told("think_inside"),
    told("fenced"),
    told("no_title", flags="no_title"),
    told("no_trailer"),
    told("json_text"),
    told("json_story"),
    # what it says that it used cannot be true, or it says nothing: the worst case
    told("usage_missing", spent="worst"),
    told("usage_negative", spent="worst"),
    told("usage_absurd", spent="worst"),
    told("usage_zero", spent="worst"),
    # what was thought and stands in the total only is paid for, too
    told("usage_thinking"),
    # a whole answer that is no story
    declined("refusal", text="I cannot help with that."),
    declined("refusal_text", text="I'm sorry, but I can't help with that request."),
    declined("finish_content_filter", text="half"),
    Outcome("null_content", "failed", "settled", "unreadable", text="none", says="there was no story in it"),
    # certainly not billed: pending again
    limited("429"),
    limited("429:1"),
    limited("429:120", (120, 120)),
    limited("429:3600", (3600, 3600)),
    limited("429:-5"),
    limited("429:0"),
    limited("429:nan"),
    limited("429:soon"),
    limited("429:past"),
    # or the queue pauses, and says why
    closed("429:3601", "quota", "allowance there is used up"),
    closed("429:99999999999999999999", "quota", "allowance there is used up"),
    closed("429:date", "quota", "allowance there is used up"),
    closed("429:quota", "quota", "allowance there is used up"),
    closed("status:401", "key", "does not accept our key"),
    closed("status:402", "money", "account there is empty"),
    closed("status:403", "key", "does not accept our key"),
    closed("status:404", "model", "does not know the model"),
    # certainly not billed, and no use in asking once more
    refused("status:400"),
    refused("status:400:lm_studio"),
    refused("status:400:gemini"),
    refused("status:400:old_vllm"),
    refused("status:400:html"),
    refused("status:413"),
    refused("status:415"),
    refused("status:422"),
    Outcome(
        "status:400:content_filter",
        "failed",
        "settled",
        "refused",
        spent="worst",
        text="none",
        says="would not tell this one",
    ),
    # anything else after the mark: nobody can know
    lost("status:408"),
    lost("status:409"),
    lost("status:500"),
    lost("status:502:html"),
    lost("status:503"),
    lost("redirect"),
    lost("reset_before", bills=0),
    lost("reset_in_request", bills=0),
    lost("reset_after_read"),
    lost("reset_in", text="half"),
    lost("only_hints"),
    lost("empty200"),
    lost("html200"),
    lost("text200", text="who are polite."),
    lost("other_json", text="who are polite."),
    lost("cut_json", text="half"),
    lost("cut_stream", text="half"),
    lost("error200", text="half"),
    lost("error200_json"),
    lost("huge", text="huge"),
)

# at a provider that keeps us waiting: what did arrive when the time was up
SLOW = (
    lost("timeout"),
    lost("hang"),
    lost("hang_mid", text="half"),
    lost("drip@0.002", text="start"),
    lost("drip_headers"),
    lost("drip_framing", text="half"),
)
