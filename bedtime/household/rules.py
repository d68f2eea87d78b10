"""What a passphrase and a PIN may be, each wrong one with a sentence that says what to do."""

import re
import unicodedata

SHORTEST, LONGEST = 10, 200
FEWEST_DIFFERENT = 5
NEVER_TYPED = frozenset({"Cc", "Cf", "Cs"})  # controls, invisible marks, halves of a pair: Unicode's general categories
# But for those by which Persian words, families of emoji and flags are spelled.
TYPED = frozenset(map(chr, (0x200C, 0x200D, *range(0xE0020, 0xE0080))))
_PIN = re.compile(r"[0-9]{6}", re.ASCII)
_RUNS = ("01234567890", "09876543210")


def tidy(secret: str) -> str:
    """As it is kept and compared: one spelling for each letter, one space for many, none at the ends."""
    return unicodedata.normalize("NFC", " ".join(secret.split()))


def wrong_with_passphrase(passphrase: str) -> str | None:
    """For a new one only: whoever has an older one comes in with it, whatever is asked of new ones."""
    if any(unicodedata.category(char) in NEVER_TYPED for char in passphrase if char not in TYPED):
        return "Only characters that can be seen and typed: one of these can’t be, so nobody would come in."
    if len(passphrase) < SHORTEST:
        return (
            f"At least {SHORTEST} characters: four or five words that don’t belong together are easy to keep in mind."
        )
    if len(passphrase) > LONGEST:
        return f"At most {LONGEST} characters: a few words are enough."
    if len(set(passphrase)) < FEWEST_DIFFERENT:
        return f"At least {FEWEST_DIFFERENT} different characters: somebody would try this one."
    return None


def wrong_with_pin(pin: str) -> str | None:
    if not _PIN.fullmatch(pin):
        return "Six digits, nothing else."
    if len(set(pin)) == 1 or any(pin in run for run in _RUNS):
        return "Not six of the same, and not a row such as 123456: a child would try these first."
    return None
