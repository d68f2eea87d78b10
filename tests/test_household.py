"""Who may come in, below the pages: hashes, guesses, sessions, pairing codes, choices."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bedtime import doorkeeper, household
from bedtime.db import Database
from bedtime.doorkeeper import Entrance
from bedtime.household import PASSPHRASE, PIN, Pairing, Secrets
from bedtime.household.devices import FORMER_SECONDS, SESSION_SECONDS
from bedtime.household.pairings import PAIRING_SECONDS

NOW = 1_800_000_000.0
SALT = bytes(16)


def guess(database: Database, now: float, what: str = PIN) -> bool:
    with database.transaction("guess") as tx:
        return household.count_guess(tx, what, now=now)


def device(database: Database, key: str, role: str = "reader", now: float = NOW) -> int:
    with database.transaction("test") as tx:
        return household.add_device(tx, name="tablet", role=role, key=key, now=now)


def found(database: Database, key: str, *, now: float, script: bool = False) -> household.Device | None:
    with database.reading() as db:
        return household.device_of(db, key, script=script, now=now)


def test_a_secret_is_kept_as_a_hash_with_its_parameters() -> None:
    kept = household.hash_of_secret("a long lamp in the hall", salt=SALT)
    assert kept.startswith("32768$8$1$" + SALT.hex() + "$")
    assert "lamp" not in kept
    assert household.matches("a long lamp in the hall", kept)
    assert not household.matches("a long lamp in the hall ", kept)


def test_a_hash_with_other_parameters_is_still_understood() -> None:
    """So that they can be raised one day without locking anybody out."""
    assert household.matches(
        "password",
        "1024$8$16$4e61436c$fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162",  # RFC 7914, its first half
    )


@pytest.mark.parametrize("char", ["\ufeff", "\u200b", "\u202e", "\u00ad", "\x00", "\x1b", "\x9f", "\udcfc", "\ud83d"])
def test_a_new_passphrase_has_no_character_that_nobody_can_type(char: str) -> None:
    for passphrase in (
        f"{char}four lamps in the hall",
        f"four lamps{char} in the hall",
        f"four lamps in the hall{char}",
    ):
        wrong = household.wrong_with_passphrase(household.tidy(passphrase))
        assert wrong and "seen and typed" in wrong
    for typed in ("vier Lämpchen, ein 🦔, 두 개의 문", "می\u200cخواهم بخوابم", "Family 👨\u200d👩\u200d👧 sleeps well"):
        assert household.wrong_with_passphrase(typed) is None


def test_a_passphrase_of_earlier_days_still_lets_people_in(database: Database) -> None:
    """With characters that no new one may have: they were typed by whoever has it, and are never asked again."""
    earlier = "\ufefffour lamps in the hall"
    kept = doorkeeper.hash_secrets(earlier, PIN, salts=(SALT, SALT))
    assert household.wrong_with_passphrase(earlier)
    assert doorkeeper.set_up(database, kept, Entrance("one", None, "phone"), now=NOW)
    assert doorkeeper.sign_in(database, earlier, Entrance("two", None, "phone"), now=NOW)
    assert not doorkeeper.sign_in(database, earlier[1:], Entrance("three", None, "phone"), now=NOW)


def test_of_forty_guesses_at_once_five_may_be_checked(database: Database) -> None:
    with ThreadPoolExecutor(40) as crowd:

        def one(_: int) -> bool:
            try:
                return guess(database, NOW)
            finally:
                database.close()

        assert sum(crowd.map(one, range(40))) == 5


def test_the_wait_doubles_from_a_minute_to_an_hour(database: Database) -> None:
    now, waits = NOW, []
    for _ in range(5):
        assert guess(database, now)
    for _ in range(9):
        with database.reading() as db:
            waits.append(household.blocked_seconds(db, PIN, now=now))
        assert not guess(database, now + waits[-1] - 1)
        now += waits[-1]
        assert guess(database, now)
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]


def test_a_right_guess_sets_the_count_back(database: Database) -> None:
    for _ in range(5):
        guess(database, NOW)
    with database.transaction("test") as tx:
        household.forgive(tx, PIN)
    assert [guess(database, NOW) for _ in range(6)] == [True] * 5 + [False]


def test_passphrase_and_pin_are_counted_apart(database: Database) -> None:
    for _ in range(6):
        guess(database, NOW, PASSPHRASE)
    assert guess(database, NOW, PIN)
    assert not guess(database, NOW, PASSPHRASE)


def test_a_clock_that_was_set_back_blocks_nobody_for_longer_than_an_hour(database: Database) -> None:
    for _ in range(6):
        guess(database, NOW)
    assert guess(database, NOW - 3 * 86400)


def test_set_up_never_overwrites_a_passphrase(database: Database) -> None:
    first, second = Secrets("first", "1"), Secrets("second", "2")
    with database.transaction("test") as tx:
        assert not household.has_grown_up(tx)
        assert household.set_first_secrets(tx, first, now=NOW)
        assert not household.set_first_secrets(tx, second, now=NOW)
        assert household.kept_secrets(tx) == first
        household.renew_secrets(tx, second, now=NOW)
        assert household.kept_secrets(tx) == second


def test_the_file_holds_no_session_id_and_no_code(database: Database) -> None:
    device(database, "session-id-of-the-tablet")
    with database.transaction("test") as tx:
        household.add_pairing(tx, Pairing("tablet", "reader", True), code="code-on-the-screen", now=NOW)
    database.checkpoint()
    files = b"".join(path.read_bytes() for path in database.path.parent.glob("bedtime.db*"))
    assert b"session-id-of-the-tablet" not in files
    assert b"code-on-the-screen" not in files


def test_a_session_ends_after_thirty_days_and_a_readers_begins_anew_when_it_is_used(database: Database) -> None:
    reader, grown_up = device(database, "reader's"), device(database, "grown-up's", "grown_up")
    later = NOW + SESSION_SECONDS - 1
    with database.transaction("test") as tx:
        household.was_seen(tx, reader, now=later)
        household.was_seen(tx, grown_up, now=later)
    assert found(database, "grown-up's", now=later)
    assert found(database, "grown-up's", now=later + 1) is None
    assert found(database, "reader's", now=later + SESSION_SECONDS - 1)
    assert found(database, "reader's", now=later + SESSION_SECONDS) is None


@pytest.mark.parametrize("role", ["reader", "grown_up"])
def test_a_session_of_a_clock_that_was_years_ahead_lets_nobody_in(database: Database, role: str) -> None:
    """One that was a month wrong, either way, signs nobody out."""
    device(database, "years", role, now=NOW + 2 * 365 * 86400)
    device(database, "days", role, now=NOW + SESSION_SECONDS)
    device(database, "token", "script", now=NOW + 2 * 365 * 86400)
    assert found(database, "years", now=NOW) is None
    assert found(database, "days", now=NOW)
    assert found(database, "token", script=True, now=NOW)
    assert len(all_of(database)) == 3, "each can be signed out"


def test_a_former_session_id_of_a_clock_that_was_ahead_is_nobodys(database: Database) -> None:
    grown_up = device(database, "old", "grown_up", now=NOW)
    with database.transaction("test") as tx:
        ahead = NOW + 86400
        assert household.give_pin(tx, grown_up, old_key="old", new_key="new", until=ahead + 600, now=ahead)
        assert not household.give_pin(tx, grown_up, old_key="old", new_key="third", until=NOW + 600, now=NOW)
    assert found(database, "old", now=NOW) is None
    assert found(database, "new", now=NOW)


@pytest.mark.parametrize("role", ["reader", "grown_up"])
def test_a_session_id_is_no_token_and_a_token_is_no_session_id(database: Database, role: str) -> None:
    device(database, "session", role)
    device(database, "token", "script")
    assert found(database, "session", script=True, now=NOW) is None
    assert found(database, "token", script=False, now=NOW) is None
    assert found(database, "token", script=True, now=NOW + 10 * 365 * 86400)


def test_the_pin_comes_with_a_new_session_id(database: Database) -> None:
    grown_up, reader = device(database, "old", "grown_up"), device(database, "tablet")
    with database.transaction("test") as tx:
        assert household.give_pin(tx, grown_up, old_key="old", new_key="new", until=NOW + 600, now=NOW)
        assert not household.give_pin(tx, grown_up, old_key="other", new_key="newer", until=NOW + 600, now=NOW)
        assert not household.give_pin(tx, reader, old_key="tablet", new_key="clever", until=NOW + 600, now=NOW)
    seen = found(database, "new", now=NOW)
    assert seen is not None
    assert seen.pin_until == NOW + 600


def test_the_former_session_id_lives_for_seconds_and_never_has_the_pin(database: Database) -> None:
    """A press that comes twice must not be sent to the sign-in by the first one's success."""
    grown_up = device(database, "old", "grown_up")
    with database.transaction("test") as tx:
        household.give_pin(tx, grown_up, old_key="old", new_key="new", until=NOW + 600, now=NOW)
    former = found(database, "old", now=NOW + FORMER_SECONDS - 1)
    assert former is not None
    assert former.pin_until == 0
    assert found(database, "old", now=NOW + FORMER_SECONDS) is None
    with database.transaction("test") as tx:
        assert household.give_pin(tx, grown_up, old_key="old", new_key="second", until=NOW + 601, now=NOW + 1)
        assert not household.give_pin(tx, grown_up, old_key="old", new_key="third", until=NOW + 700, now=NOW + 60)
        household.sign_out_session(tx, "old")
    assert all_of(database) == []


def test_a_session_that_was_signed_out_is_nobodys(database: Database) -> None:
    first = device(database, "first")
    device(database, "second", "grown_up")
    device(database, "token", "script")
    with database.transaction("test") as tx:
        household.sign_out(tx, first)
        household.sign_out_session(tx, "second")
        household.sign_out_session(tx, "token")
    assert [one.role for one in all_of(database)] == ["script"]
    with database.transaction("test") as tx:
        household.sign_out_all(tx)
    assert all_of(database) == []


def all_of(database: Database) -> list[household.Device]:
    with database.reading() as db:
        return household.all_devices(db, now=NOW)


def test_a_pairing_code_works_once_and_for_ten_minutes(database: Database) -> None:
    pairing = Pairing("Mia's tablet", "reader", True)
    with database.transaction("test") as tx:
        household.add_pairing(tx, pairing, code="abcd", now=NOW)
        household.add_pairing(tx, pairing, code="efgh", now=NOW)
        assert household.open_pairing(tx, "abcd", now=NOW) == pairing
        assert household.use_pairing(tx, "abcd", now=NOW) == pairing
        assert household.use_pairing(tx, "abcd", now=NOW) is None
        assert household.open_pairing(tx, "abcd", now=NOW) is None
        assert household.use_pairing(tx, "efgh", now=NOW + PAIRING_SECONDS) is None
        household.add_pairing(tx, pairing, code="ijkl", now=NOW)
        household.end_pairings(tx)
        assert household.use_pairing(tx, "ijkl", now=NOW) is None


def test_a_pairing_code_of_a_clock_that_was_ahead_does_not_work(database: Database) -> None:
    ahead, pairing = NOW + 2 * 365 * 86400, Pairing("Mia's tablet", "reader", True)
    with database.transaction("test") as tx:
        household.add_pairing(tx, pairing, code="abcd", now=ahead)
        assert household.open_pairing(tx, "abcd", now=NOW) is None
        assert household.use_pairing(tx, "abcd", now=NOW) is None
        household.add_pairing(tx, pairing, code="efgh", now=NOW)
        assert household.open_pairing(tx, "abcd", now=ahead) is None, "it is gone, and does not come back one day"
        assert household.use_pairing(tx, "efgh", now=NOW) == pairing


def test_what_was_chosen_can_be_taken_back(database: Database) -> None:
    with database.transaction("test") as tx:
        assert household.choice(tx, "zone") is None
        household.choose(tx, "zone", "Europe/Berlin", now=NOW)
        household.choose(tx, "zone", "Europe/Lisbon", now=NOW)
        assert household.choices(tx) == {"zone": "Europe/Lisbon"}
        household.choose(tx, "zone", None, now=NOW)
        assert household.choice(tx, "zone") is None
