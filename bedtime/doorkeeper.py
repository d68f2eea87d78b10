"""Letting in and sending away: set-up, sign-in, PIN, pairing, reset. Slow hashes are worked out between transactions.

Whoever calls brings what is drawn at random: salts, session ids, codes.
"""

from dataclasses import dataclass, field
from pathlib import Path

from bedtime import household, premises
from bedtime.db import Database
from bedtime.errors import TooManyGuesses
from bedtime.household import PASSPHRASE, PIN, Pairing, Secrets
from bedtime.premises import Draw

PIN_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Entrance:
    """A device that asks to be let in: the session id it will have, the one that it had, what to call it."""

    key: str = field(repr=False)
    old_key: str | None = field(repr=False)
    name: str


def hash_secrets(passphrase: str, pin: str, *, salts: tuple[bytes, bytes]) -> Secrets:
    """What is kept of both. Slow on purpose: call it outside of transactions."""
    return Secrets(
        household.hash_of_secret(household.tidy(passphrase), salt=salts[0]),
        household.hash_of_secret(household.tidy(pin), salt=salts[1]),
    )


def await_set_up(database: Database, instance: Path, draw: Draw) -> None:
    """At the start: while no grown-up exists there is a one-time link, afterwards none."""
    with database.reading() as db:
        has_grown_up = household.has_grown_up(db)
    if has_grown_up:
        premises.end_set_up(instance)
    else:
        premises.setup_token(instance, draw)


def set_up(database: Database, secrets: Secrets, entrance: Entrance, *, now: float) -> bool:
    """The first passphrase and PIN, and the first grown-up's device. False, and nothing changed, if there are any."""
    with database.transaction("set_up") as tx:
        if not household.set_first_secrets(tx, secrets, now=now):
            return False
        household.sign_out_all(tx)
        household.add_device(
            tx, name=entrance.name, role="grown_up", key=entrance.key, now=now, pin_until=now + PIN_SECONDS
        )
    return True


def sign_in(database: Database, passphrase: str, entrance: Entrance, *, now: float) -> bool:
    """Whether the passphrase was right; then the device is a grown-up's. Raises TooManyGuesses."""
    secrets = _checked(database, PASSPHRASE, passphrase, now=now)
    if secrets is None:
        return False
    with database.transaction("sign_in") as tx:
        if household.kept_secrets(tx) != secrets:
            return False  # renewed while this guess was worked out
        household.forgive(tx, PASSPHRASE)
        if entrance.old_key is not None:
            household.sign_out_session(tx, entrance.old_key)
        household.add_device(tx, name=entrance.name, role="grown_up", key=entrance.key, now=now)
    return True


def give_pin(database: Database, pin: str, *, device_id: int, entrance: Entrance, now: float) -> bool:
    """Whether the PIN was right; then it holds for ten minutes, under a new session id. Raises TooManyGuesses."""
    secrets = _checked(database, PIN, pin, now=now)
    if secrets is None or entrance.old_key is None:
        return False
    with database.transaction("give_pin") as tx:
        if household.kept_secrets(tx) != secrets:
            return False
        household.forgive(tx, PIN)
        return household.give_pin(
            tx, device_id, old_key=entrance.old_key, new_key=entrance.key, until=now + PIN_SECONDS, now=now
        )


def pair(database: Database, code: str, entrance: Entrance, *, now: float) -> Pairing | None:
    """Use a code up, and let the device in as what was chosen when the code was made. None if the code works no more."""
    with database.transaction("pair") as tx:
        pairing = household.use_pairing(tx, code, now=now)
        if pairing is None:
            return None
        if entrance.old_key is not None:
            household.sign_out_session(tx, entrance.old_key)
        household.add_device(
            tx,
            name=pairing.device_name or entrance.name,
            role=pairing.role,
            key=entrance.key,
            now=now,
            approval=pairing.approval,
        )
    return pairing


def reset(database: Database, secrets: Secrets, *, now: float) -> None:
    """A new passphrase and PIN; every device and every script is sent away, no code works, guesses are forgiven."""
    with database.transaction("reset_household") as tx:
        household.renew_secrets(tx, secrets, now=now)
        household.sign_out_all(tx)
        household.end_pairings(tx)
        household.forgive_all(tx)


def unlock(database: Database) -> None:
    """No guess has to wait any more."""
    with database.transaction("unlock") as tx:
        household.forgive_all(tx)


def _checked(database: Database, what: str, secret: str, *, now: float) -> Secrets | None:
    """What is kept, if this is the passphrase or the PIN of it. Counted before it is checked."""
    with database.transaction("count_guess") as tx:
        if not household.count_guess(tx, what, now=now):
            raise TooManyGuesses(household.blocked_seconds(tx, what, now=now))
        secrets = household.kept_secrets(tx)
    if secrets is None or len(secret) > household.LONGEST * 4:
        return None
    kept = secrets.passphrase if what == PASSPHRASE else secrets.pin
    return secrets if household.matches(household.tidy(secret), kept) else None
