"""What leaves the house, when it cannot, how long it may take, and what nobody is told."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from buyer import KEY, PROMPT, Buyer
from provider import Provider
from provider_server import Server, State

from bedtime import llm
from bedtime.errors import Closed, MaybeBilled, NotSent


@pytest.fixture
def buyer(provider: Provider) -> Buyer:
    return Buyer(provider)


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A socket to which one may connect, and on which nobody answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
        yield listening


def test_a_closed_port_means_that_nothing_was_sent(buyer: Buyer, listening: socket.socket) -> None:
    port = listening.getsockname()[1]
    listening.close()
    assert type(buyer.fails_at(f"http://127.0.0.1:{port}/v1")) is NotSent
    assert buyer.steps == []


def test_a_name_that_nobody_knows_means_that_nothing_was_sent(buyer: Buyer) -> None:
    assert type(buyer.fails_at("http://nowhere.invalid/v1")) is NotSent
    assert buyer.steps == []


def test_a_host_that_does_not_pick_up_means_that_nothing_was_sent(buyer: Buyer, listening: socket.socket) -> None:
    address = listening.getsockname()
    waiting = [socket.socket() for _ in range(4)]  # fill the backlog: the next one is not let in
    try:
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        assert type(buyer.fails_at(f"http://127.0.0.1:{address[1]}/v1", connect_seconds=0.5)) is NotSent
    finally:
        for one in waiting:
            one.close()
    assert buyer.steps == []


def test_a_certificate_that_nobody_vouches_for_means_that_nothing_was_sent(buyer: Buyer, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("untrusted.pem"))
    server = Server(0, State(tmp_path / "other", "ok"))
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            error = buyer.fails_at(f"https://localhost:{server.server_port}/v1")
        finally:
            server.shutdown()
    assert type(error) is NotSent and "certificate" in str(error)
    assert buyer.steps == [] and (tmp_path / "other").read_bytes() == b""


# One deadline of these is short and the others an hour: without it the test would meet its own time-out.


def test_a_server_that_never_greets_ends_at_the_deadline_with_nothing_sent(
    buyer: Buyer, listening: socket.socket
) -> None:
    url = f"https://127.0.0.1:{listening.getsockname()[1]}/v1"
    assert type(buyer.fails_at(url, connect_seconds=3600, total_seconds=0.5)) is NotSent


@pytest.mark.parametrize(
    "url", ["", "story.home/v1", "ftp://story.home/v1", "http:///v1", f"http://{'a' * 64}.home/v1"]
)
def test_an_address_that_is_none_waits_for_a_grown_up(buyer: Buyer, url: str) -> None:
    error = buyer.fails_at(url)
    assert isinstance(error, Closed) and error.reason == "storyteller"


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY} ", f"schlüssel{KEY}", f"{KEY}\x00"])
def test_a_key_that_cannot_be_sent_waits_for_a_grown_up_and_is_not_told(buyer: Buyer, key: str) -> None:
    with pytest.raises(Closed) as caught:
        buyer.post(llm.Endpoint(buyer.provider.url, "test", key))
    assert caught.value.reason == "key" and KEY not in str(caught.value)
    assert buyer.provider.requests() == []


def test_the_key_is_not_in_what_an_endpoint_prints() -> None:
    assert KEY not in repr(llm.Endpoint("http://127.0.0.1/v1", "test", KEY))


def test_netrc_and_proxies_of_the_environment_are_ignored(
    buyer: Buyer, listening: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login somebody password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listening.getsockname()[1]}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert buyer.buy(total_seconds=5).text
    assert buyer.provider.requests()[0]["headers"]["authorization"] == f"Bearer {KEY}"


def test_a_redirect_is_not_followed(buyer: Buyer) -> None:
    assert type(buyer.fails("redirect")) is MaybeBilled
    assert [request["status"] for request in buyer.provider.requests()] == [307]


@pytest.mark.parametrize("mode", ["hang", "timeout", "drip_headers"])
def test_the_first_byte_has_a_deadline_of_its_own(buyer: Buyer, mode: str) -> None:
    assert type(buyer.fails(mode, first_byte_seconds=0.5, idle_seconds=3600, total_seconds=3600)) is MaybeBilled


@pytest.mark.parametrize("mode", ["hang_mid", "drip_framing"])
def test_silence_in_the_middle_has_a_deadline_of_its_own(buyer: Buyer, mode: str) -> None:
    assert type(buyer.fails(mode, first_byte_seconds=3600, idle_seconds=0.5, total_seconds=3600)) is MaybeBilled
    assert llm.text_so_far(buyer.raw) == buyer.texts[-1]


def test_a_drip_does_not_overrun_the_deadline_of_the_whole_call(buyer: Buyer) -> None:
    for mode in ("drip", "drip_headers", "drip_framing"):
        buyer.fails(mode, first_byte_seconds=3600, idle_seconds=3600, total_seconds=0.5)


def test_a_server_that_only_ever_announces_an_answer_is_not_heard_to_the_end_of_the_hour(buyer: Buyer) -> None:
    error = buyer.fails("only_hints", first_byte_seconds=3600, idle_seconds=3600, total_seconds=3600)
    assert type(error) is MaybeBilled and buyer.kept == []


def test_a_slow_answer_within_its_deadlines_is_a_whole_one(buyer: Buyer) -> None:
    assert buyer.buy("ok@0.005", first_byte_seconds=5, idle_seconds=5, total_seconds=60).finish_reason == "stop"


def test_no_thread_stays_behind(buyer: Buyer) -> None:
    before = threading.active_count()
    buyer.buy("ok")
    buyer.fails("status:500")
    buyer.fails("hang", total_seconds=0.2)
    assert threading.active_count() == before


def test_every_byte_is_kept_before_anything_looks_at_it(buyer: Buyer) -> None:
    kept: list[bytes] = []
    looked: list[bool] = []

    def on_text(text: str) -> None:
        looked.append(llm.text_so_far(b"".join(kept)) == text)

    endpoint = llm.Endpoint(buyer.provider.url, "test")
    buyer.provider.set_mode("ok@0.001")
    llm.post(endpoint, PROMPT, keep=kept.append, on_text=on_text, observe=buyer.steps.append, monotonic=time.monotonic)
    assert len(looked) > 10 and all(looked)


def test_the_steps_of_a_call_are_told_in_their_order(buyer: Buyer) -> None:
    buyer.buy("ok@0.001")
    first, second, *middle, last = buyer.steps
    assert (first, second, last) == ("call.sent", "call.first_byte", "call.last_byte")
    assert set(middle) == {"call.mid_body"} and len(middle) == len(buyer.kept) - 1


def test_what_keeping_raises_goes_through(buyer: Buyer) -> None:
    def keep(chunk: bytes) -> None:
        raise OSError(28, "no space")

    endpoint = llm.Endpoint(buyer.provider.url, "test")
    with pytest.raises(OSError, match="no space"):
        llm.post(endpoint, PROMPT, keep=keep, on_text=print, observe=print, monotonic=time.monotonic)
    assert len(buyer.provider.bills()) == 1
