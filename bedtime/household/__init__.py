"""Who may come in: passphrase and PIN, devices, pairings, guesses; and what the household chose.

Functions take a connection: `tx` inside a write transaction, `db` for reading. None of them begins or commits.
Secrets, session ids and codes are kept as hashes only; the things themselves come in, and never go out again.
"""

from bedtime.household.choices import choice, choices, choose
from bedtime.household.devices import (
    SECONDS_BETWEEN_SIGHTINGS,
    Device,
    add_device,
    all_devices,
    change_device,
    device_of,
    give_pin,
    sign_out,
    sign_out_all,
    sign_out_session,
    was_seen,
)
from bedtime.household.guesses import (
    PASSPHRASE,
    PIN,
    blocked_seconds,
    count_guess,
    forgive,
    forgive_all,
)
from bedtime.household.hashing import hash_of_key, hash_of_secret, matches
from bedtime.household.holding import (
    APPROVAL,
    EXPIRY_HOURS,
    KEY_HOST,
    LANGUAGE,
    MONTHLY_CAP,
    SEND_NAMES,
    ZONE,
    approval,
    cap_micros,
    expiry_seconds,
    host_of_key,
    language,
    send_names,
    zone,
)
from bedtime.household.keeping import forget_all, forget_expired, take_key_hosts, take_stricter
from bedtime.household.pairings import Pairing, add_pairing, end_pairings, open_pairing, use_pairing
from bedtime.household.rules import LONGEST, tidy, wrong_with_passphrase, wrong_with_pin
from bedtime.household.secrets import Secrets, has_grown_up, kept_secrets, renew_secrets, set_first_secrets

__all__ = [
    "APPROVAL",
    "EXPIRY_HOURS",
    "KEY_HOST",
    "LANGUAGE",
    "LONGEST",
    "MONTHLY_CAP",
    "PASSPHRASE",
    "PIN",
    "SECONDS_BETWEEN_SIGHTINGS",
    "SEND_NAMES",
    "ZONE",
    "Device",
    "Pairing",
    "Secrets",
    "add_device",
    "add_pairing",
    "all_devices",
    "approval",
    "blocked_seconds",
    "cap_micros",
    "change_device",
    "choice",
    "choices",
    "choose",
    "count_guess",
    "device_of",
    "end_pairings",
    "expiry_seconds",
    "forget_all",
    "forget_expired",
    "forgive",
    "forgive_all",
    "give_pin",
    "has_grown_up",
    "hash_of_key",
    "hash_of_secret",
    "host_of_key",
    "kept_secrets",
    "language",
    "matches",
    "open_pairing",
    "renew_secrets",
    "send_names",
    "set_first_secrets",
    "sign_out",
    "sign_out_all",
    "sign_out_session",
    "take_key_hosts",
    "take_stricter",
    "tidy",
    "use_pairing",
    "was_seen",
    "wrong_with_passphrase",
    "wrong_with_pin",
    "zone",
]
