"""What is set at the machine: defaults, layers, and messages that say what to do and never hold a key."""

import dataclasses
import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedtime import settings
from bedtime.errors import SettingsError
from bedtime.settings import NAMES, Settings, load

CANARY = "sk-canary-0123456789"


def problem(root: Path, **environ: str) -> str:
    """The message with which these settings are refused."""
    with pytest.raises(SettingsError) as refused:
        load({f"BEDTIME_{name}": text for name, text in environ.items()}, root=root)
    return str(refused.value)


def one(root: Path, **environ: str) -> Settings:
    return load({f"BEDTIME_{name}": text for name, text in environ.items()}, root=root)


def written(root: Path, toml: str) -> Path:
    """The instance folder with this settings.toml in it."""
    folder = root / "instance"
    folder.mkdir(exist_ok=True)
    (folder / "settings.toml").write_text(toml)
    return folder


def test_nothing_set_is_a_laptop_with_the_built_in_book(tmp_path: Path) -> None:
    found = dataclasses.asdict(load({}, root=tmp_path))
    assert found.pop("sources") == dict.fromkeys(found, "default")
    assert found == {
        "host": "127.0.0.1", "port": 5000, "hosts": (), "instance": tmp_path / "instance",
        "llm_url": None, "llm_model": None, "llm_key": None,
        "llm_max_tokens": None, "llm_max_tokens_field": "max_tokens", "llm_extra": {},
        "llm_connect_seconds": 5, "llm_first_byte_seconds": 120, "llm_idle_seconds": 60, "llm_total_seconds": 300,
        "price_in_micros": None, "price_out_micros": None, "monthly_cap_micros": 5_000_000, "currency": "USD",
        "queue_max": 8, "workers": 1, "max_failures": 6,
        "lease_seconds": 60, "reap_seconds": 15, "expiry_hours": 12,
        "send_names": False, "network_disk": False, "log_level": "info",
    }  # fmt: skip


def test_settings_are_frozen(tmp_path: Path) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        load({}, root=tmp_path).port = 1  # type: ignore[misc]


def test_every_setting_of_the_table_can_be_set(tmp_path: Path) -> None:
    texts = {
        "HOST": "0.0.0.0", "PORT": "0", "HOSTS": "https://story.home, http://[fd00::1]:8080",
        "LLM_URL": "https://llm.example/v1/", "LLM_MODEL": "llama3.2:3b", "LLM_KEY": CANARY,
        "LLM_MAX_TOKENS": "4000", "LLM_MAX_TOKENS_FIELD": "max_completion_tokens", "LLM_EXTRA": '{"temperature": 0.9}',
        "LLM_CONNECT_SECONDS": "2.5", "LLM_FIRST_BYTE_SECONDS": "30", "LLM_IDLE_SECONDS": "10",
        "LLM_TOTAL_SECONDS": "90", "PRICE_IN": "0.15", "PRICE_OUT": "0.000001", "MONTHLY_CAP": "1000000",
        "CURRENCY": "CHF", "QUEUE_MAX": "1000", "WORKERS": "8", "MAX_FAILURES": "100", "LEASE_SECONDS": "1",
        "REAP_SECONDS": "0.2", "EXPIRY_HOURS": "0.5", "SEND_NAMES": "yes", "NETWORK_DISK": "yes", "LOG_LEVEL": "debug",
    }  # fmt: skip
    assert texts.keys() == NAMES
    found = one(tmp_path, **texts)
    assert found.hosts == ("https://story.home", "http://[fd00::1]:8080")
    assert found.llm_url == "https://llm.example/v1"
    assert found.llm_extra == {"temperature": 0.9}
    assert (found.price_in_micros, found.price_out_micros) == (150_000, 1)
    assert found.monthly_cap_micros == 1_000_000_000_000
    assert (found.port, found.lease_seconds, found.reap_seconds, found.send_names) == (0, 1, 0.2, True)
    assert set(found.sources.values()) == {"environment", "default"}


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(tmp_path: Path) -> None:
    written(tmp_path, 'port = 7000\nworkers = 2\nmonthly_cap = 2.50\nsend_names = true\nhosts = ["https://a.home"]\n')
    found = one(tmp_path, PORT="8000", WORKERS="  ")
    assert (found.port, found.workers, found.monthly_cap_micros) == (8000, 2, 2_500_000)
    assert (found.send_names, found.hosts) == (True, ("https://a.home",))
    assert [found.sources[name] for name in ("port", "workers", "queue_max")] == [
        "environment", "settings.toml", "default",
    ]  # fmt: skip


def test_a_table_in_the_file_is_what_a_server_insists_on(tmp_path: Path) -> None:
    written(tmp_path, 'llm_extra = { temperature = 0.9, stop = ["x"] }')
    assert load({}, root=tmp_path).llm_extra == {"temperature": 0.9, "stop": ["x"]}


def test_the_instance_folder_is_set_in_the_environment_only(tmp_path: Path) -> None:
    assert one(tmp_path, INSTANCE="data").instance == tmp_path / "data"
    assert one(tmp_path, INSTANCE="/srv/data").instance == Path("/srv/data")
    assert "expected a folder written out, without ~" in problem(tmp_path, INSTANCE="~/data")
    written(tmp_path, 'instance = "elsewhere"')
    assert "set BEDTIME_INSTANCE in the environment" in problem(tmp_path)


def test_settings_of_this_process_come_from_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("BEDTIME_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BEDTIME_PORT", "5055")
    assert settings.from_machine(tmp_path).port == 5055


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("LEASE_SECONDS", "soon", "BEDTIME_LEASE_SECONDS is 'soon': expected whole seconds, 1 or more"),
        ("LEASE_SECONDS", "0", "BEDTIME_LEASE_SECONDS is '0': expected whole seconds, 1 or more"),
        ("PORT", "65536", "BEDTIME_PORT is '65536': expected a whole number, 0 to 65535"),
        ("PORT", "٥", "BEDTIME_PORT is '٥': expected a whole number, 0 or more"),
        ("WORKERS", "9", "BEDTIME_WORKERS is '9': expected a whole number, 1 to 8"),
        ("QUEUE_MAX", "0", "BEDTIME_QUEUE_MAX is '0': expected a whole number, 1 or more"),
        ("MAX_FAILURES", "101", "BEDTIME_MAX_FAILURES is '101': expected a whole number, 1 to 100"),
        ("REAP_SECONDS", "nan", "BEDTIME_REAP_SECONDS is 'nan': expected seconds, more than 0 and at most 3600"),
        ("LLM_IDLE_SECONDS", "0", "BEDTIME_LLM_IDLE_SECONDS is '0': expected seconds, more than 0 and at most 3600"),
        ("EXPIRY_HOURS", "inf", "BEDTIME_EXPIRY_HOURS is 'inf': expected hours, more than 0 and at most 8760"),
        ("SEND_NAMES", "true", "BEDTIME_SEND_NAMES is 'true': expected yes or no"),
        ("LOG_LEVEL", "loud", "BEDTIME_LOG_LEVEL is 'loud': expected debug or info or warning or error"),
        ("CURRENCY", "usd", "BEDTIME_CURRENCY is 'usd': expected three capital letters, such as USD"),
        ("HOST", "127.0.0.1:80", "BEDTIME_HOST is '127.0.0.1:80': "
         + "expected an address or a name without a port, such as 127.0.0.1 or 0.0.0.0"),
        ("LLM_MAX_TOKENS_FIELD", "n", "BEDTIME_LLM_MAX_TOKENS_FIELD is 'n': "
         + "expected max_tokens or max_completion_tokens"),
    ],
)  # fmt: skip
def test_a_message_names_the_setting_its_value_and_what_is_expected(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    assert problem(tmp_path, **{name: text}) == message


@pytest.mark.parametrize("text", ["-1", "1e3", "1.0000001", "1,5", "nan", "inf", "1000000.01", "1_000", ".5", "5."])
def test_money_is_a_decimal_that_can_be_kept_exactly(tmp_path: Path, text: str) -> None:
    assert "expected a decimal such as 5.00, from 0 to 1000000" in problem(tmp_path, MONTHLY_CAP=text)


@given(whole=st.integers(0, 999_999), micros=st.integers(0, 999_999))
def test_money_loses_no_micro(tmp_path_factory: pytest.TempPathFactory, whole: int, micros: int) -> None:
    found = one(tmp_path_factory.getbasetemp(), MONTHLY_CAP=f"{whole}.{micros:06}")
    assert found.monthly_cap_micros == whole * 1_000_000 + micros


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "https://8.8.8.8/v1",
        "http://127.0.0.1:11434/v1",
        "http://[::1]:8080/v1",
        "http://[::ffff:192.168.0.7]/v1",
        "http://192.168.1.20/v1",
        "http://172.31.255.255",
        "http://localhost:1234/v1",
        "http://box.local/v1",
        "http://nas.home.arpa/v1",
    ],
)
def test_a_provider_is_reached_by_https_or_stands_at_home(tmp_path: Path, url: str) -> None:
    assert one(tmp_path, LLM_URL=url + "/", LLM_MODEL="m").llm_url == url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://api.example/v1", "https:// for a server outside the house"),
        ("http://172.32.0.1/v1", "https:// for a server outside the house"),
        ("http://notlocal/v1", "https:// for a server outside the house"),
        ("http://local.evil.example/v1", "https:// for a server outside the house"),
        ("ftp://box.local/v1", "starts with https:// or http://"),
        ("api.example/v1", "starts with https:// or http://"),
        ("https://api.example/v1 x", "without spaces"),
        ("https://169.254.169.254/v1", "not link-local"),
        ("http://[fe80::1]/v1", "not link-local"),
        ("http://[::ffff:169.254.169.254]/v1", "not link-local"),
        ("http://169.254.43518/v1", "name or its address in full"),
        ("http://2852039166/v1", "name or its address in full"),
        ("http://0xa9fea9fe/v1", "name or its address in full"),
        ("https://", "name or its address in full"),
        ("https://a..b/v1", "name or its address in full"),
        ("https://host:99999/v1", "port from 0 to 65535"),
        ("https://[::1/v1", "an address with a host"),
        ("https://api.example/v1/chat/completions", "without /chat/completions"),
    ],
)
def test_a_wrong_provider_is_refused(tmp_path: Path, url: str, expected: str) -> None:
    message = problem(tmp_path, LLM_URL=url, LLM_MODEL="m")
    assert expected in message
    assert message.startswith(f"BEDTIME_LLM_URL is {url!r}: expected ")


@pytest.mark.parametrize(
    "url", [f"https://me:{CANARY}@llm.example/v1", f"https://llm.example/v1?key={CANARY}", f"https://a.b/#{CANARY}"]
)
def test_a_secret_in_the_address_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    message = problem(tmp_path, LLM_URL=url, LLM_MODEL="m")
    assert "without a user name, a question mark or a fragment" in message
    assert CANARY not in message


def test_an_address_and_a_model_are_set_together(tmp_path: Path) -> None:
    assert problem(tmp_path, LLM_URL="https://llm.example/v1") == (
        "BEDTIME_LLM_URL is set and BEDTIME_LLM_MODEL is not: set both for an LLM, or neither for the built-in book"
    )
    assert problem(tmp_path, LLM_MODEL="m").startswith("BEDTIME_LLM_MODEL is set and BEDTIME_LLM_URL is not")
    assert problem(tmp_path, PRICE_OUT="1").startswith("BEDTIME_PRICE_OUT is set and BEDTIME_PRICE_IN is not")


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("https://Story.Home", ("https://story.home",)),
        ("https://story.home:443", ("https://story.home",)),
        ("http://10.0.0.2:8080,https://a.b", ("http://10.0.0.2:8080", "https://a.b")),
        ("https://a.b https://a.b", ("https://a.b",)),
    ],
)
def test_hosts_are_origins_as_a_browser_writes_them(tmp_path: Path, text: str, origins: tuple[str, ...]) -> None:
    assert one(tmp_path, HOSTS=text).hosts == origins


@pytest.mark.parametrize("text", ["story.home", "https://a.b/", "https://a.b/x", "*", "https://*.b", "null", "//a.b"])
def test_a_host_that_is_not_a_whole_origin_is_refused(tmp_path: Path, text: str) -> None:
    assert problem(tmp_path, HOSTS=text).startswith(f"BEDTIME_HOSTS is {text!r}: expected ")


@pytest.mark.parametrize(
    "field",
    [
        "model",
        "messages",
        "stream",
        "stream_options",
        "n",
        "best_of",
        "max_tokens",
        "max_completion_tokens",
        "num_predict",
    ],
)
def test_what_the_reservation_hangs_on_cannot_be_sent_along(tmp_path: Path, field: str) -> None:
    assert f"a JSON object without {field}" in problem(tmp_path, LLM_EXTRA=f'{{"{field}": 2}}')


@pytest.mark.parametrize(
    "field", ["models", "fallbacks", "route", "preset", "plugins", "tools", "service_tier", "speed", "cache_control"]
)
def test_what_can_raise_the_price_of_a_story_cannot_be_sent_along(tmp_path: Path, field: str) -> None:
    said = problem(tmp_path, LLM_EXTRA=f'{{"{field}": ["dear/model"]}}')
    assert f"a JSON object without {field}, since a story could cost more" in said and "BEDTIME_LLM_MODEL" in said


def test_which_of_its_hosts_serves_a_model_may_be_said(tmp_path: Path) -> None:
    """The table has the price of the dearest of them."""
    chosen = {"provider": {"data_collection": "deny"}}
    assert one(tmp_path, LLM_EXTRA=json.dumps(chosen)).llm_extra == chosen


@pytest.mark.parametrize("text", ["[]", "{", "7", '{"a": NaN}', '{"a": Infinity}', "[" * 100_000])
def test_what_is_sent_along_is_a_json_object(tmp_path: Path, text: str) -> None:
    assert "expected a JSON object" in problem(tmp_path, LLM_EXTRA=text)


def test_an_unknown_name_suggests_the_nearest_and_keeps_its_value_to_itself(tmp_path: Path) -> None:
    assert problem(tmp_path, LLM_KYE=CANARY) == "BEDTIME_LLM_KYE is not a setting: did you mean BEDTIME_LLM_KEY?"
    assert problem(tmp_path, XYZZY="1") == "BEDTIME_XYZZY is not a setting: README.md lists the settings"
    folder = written(tmp_path, "wokers = 2")
    assert problem(tmp_path) == f"wokers in {folder}/settings.toml is not a setting: did you mean workers?"
    written(tmp_path, "PORT = 2")
    assert "did you mean port?" in problem(tmp_path)
    assert load({"BED": "1", "bedtime_x": "1"}, root=tmp_path / "none").port == 5000


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    folder = written(tmp_path, "port = 5000\nworkers = \n")
    assert problem(tmp_path).startswith(f"{folder}/settings.toml, line 2, is not TOML: ")
    (folder / "settings.toml").write_bytes(b'port = 1\n\ncurrency = "\xff"\n')
    assert problem(tmp_path) == f"{folder}/settings.toml, line 3, is not TOML: it is not UTF-8"


def test_a_wrong_value_in_the_file_is_named_with_the_file(tmp_path: Path) -> None:
    folder = written(tmp_path, "port = 70000")
    assert problem(tmp_path) == f"port in {folder}/settings.toml is '70000': expected a whole number, 0 to 65535"
    written(tmp_path, "port = 2026-01-01")
    assert problem(tmp_path) == f"port in {folder}/settings.toml is a date: expected text or a number"


def keyed(root: Path, content: str, mode: int) -> Path:
    """A key's file with this mode."""
    (root / "instance").mkdir(exist_ok=True)
    path = root / "instance" / "llm_key"
    path.write_text(content)
    path.chmod(mode)
    return path


def test_the_key_may_stand_in_a_file_which_is_then_closed_to_others(tmp_path: Path) -> None:
    path = keyed(tmp_path, CANARY + "\n", 0o644)
    found = load({}, root=tmp_path)
    assert (found.llm_key, found.sources["llm_key"]) == (CANARY, "llm_key file")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert one(tmp_path, LLM_KEY="sk-other").llm_key == "sk-other"


def test_a_file_of_settings_that_holds_the_key_is_closed_to_others(tmp_path: Path) -> None:
    path = written(tmp_path, f'llm_key = "{CANARY}"') / "settings.toml"
    path.chmod(0o644)
    assert load({}, root=tmp_path).llm_key == CANARY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_that_cannot_be_closed_to_others_stops_the_start(tmp_path: Path) -> None:
    path = tmp_path / "instance" / "llm_key"
    path.parent.mkdir()
    path.symlink_to("/proc/self/comm")  # everybody may read it, and the kernel lets nobody change its mode
    assert problem(tmp_path).startswith(f"{path} cannot be read safely (Operation not permitted)")


def test_an_empty_key_file_is_no_key(tmp_path: Path) -> None:
    keyed(tmp_path, "\n", 0o600)
    found = load({}, root=tmp_path)
    assert (found.llm_key, found.sources["llm_key"]) == (None, "default")


@pytest.mark.parametrize("key", [f"{CANARY} {CANARY}", f"{CANARY}\nX: y", f"{CANARY}é", f"{CANARY}\x00"])
def test_no_message_and_no_picture_of_the_settings_holds_the_key(tmp_path: Path, key: str) -> None:
    assert CANARY not in repr(one(tmp_path, LLM_KEY=CANARY))
    assert problem(tmp_path, LLM_KEY=key) == (
        "BEDTIME_LLM_KEY is not shown here: expected one line of visible ASCII characters without spaces"
    )
    keyed(tmp_path, key, 0o600)
    assert CANARY not in problem(tmp_path)


def test_a_long_value_is_cut_in_its_message(tmp_path: Path) -> None:
    assert len(problem(tmp_path, PORT="9" * 10_000)) < 200
