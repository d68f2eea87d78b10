"""A key belongs to the host that it was used with first: an old key is never sent to a new host."""

from bedtime import household
from bedtime.db import Connection, Database
from bedtime.errors import Closed
from bedtime.storytellers.language_model import LanguageModel


def bind(tx: Connection, storyteller: LanguageModel, *, now: float) -> None:
    """In the transaction of the mark: the first use of a key ties it to its host. Raises Closed if it is tied to another."""
    key = storyteller.endpoint.key
    if not key:
        return
    tied_to = household.host_of_key(tx, household.hash_of_key(key))
    if tied_to is None:
        _tie(tx, key, storyteller.host, now=now)
    elif tied_to != storyteller.host:
        raise Closed(_why(storyteller, tied_to), reason="key_host")


def use_key(database: Database, storyteller: LanguageModel, *, now: float) -> None:
    """Before the key is sent for anything but a story. Raises Closed if it belongs to another host."""
    with database.transaction("use_key") as tx:
        bind(tx, storyteller, now=now)


def trust_host(database: Database, storyteller: LanguageModel, *, now: float) -> None:
    """A grown-up says that the key belongs to the host of now, and to no other."""
    if storyteller.endpoint.key:
        with database.transaction("trust_host") as tx:
            _tie(tx, storyteller.endpoint.key, storyteller.host, now=now)


def foreign_host(db: Connection, storyteller: LanguageModel | None) -> str | None:
    """The other host to which the key of this storyteller belongs; None if it may be sent."""
    if storyteller is None or not storyteller.endpoint.key:
        return None
    tied_to = household.host_of_key(db, household.hash_of_key(storyteller.endpoint.key))
    return None if tied_to in (None, storyteller.host) else tied_to


def _tie(tx: Connection, key: str, host: str, *, now: float) -> None:
    """Only the fingerprint of the key is kept."""
    household.choose(tx, household.KEY_HOST + household.hash_of_key(key), host, now=now)


def _why(storyteller: LanguageModel, tied_to: str) -> str:
    return f"the key was used with {tied_to}, and the address is {storyteller.host} now"
