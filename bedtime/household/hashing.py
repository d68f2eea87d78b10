"""What is kept of a secret: scrypt of what a person chose, SHA-256 of what was drawn at random."""

import hashlib
import hmac

COST, BLOCK_SIZE, PARALLEL = 2**15, 8, 1  # 32 MiB and a tenth of a second a guess
MEMORY = 2**26
LENGTH = 32


def hash_of_secret(secret: str, *, salt: bytes) -> str:
    """A passphrase or PIN as it is kept: `n$r$p$salt$hash`. Slow on purpose: never inside a transaction."""
    digest = _scrypt(secret, salt, COST, BLOCK_SIZE, PARALLEL)
    return f"{COST}${BLOCK_SIZE}${PARALLEL}${salt.hex()}${digest.hex()}"


def matches(secret: str, kept: str) -> bool:
    """Whether this is the secret that was kept, with the parameters that were kept with it. Slow on purpose."""
    n, r, p, salt, digest = kept.split("$")
    return hmac.compare_digest(_scrypt(secret, bytes.fromhex(salt), int(n), int(r), int(p)), bytes.fromhex(digest))


def hash_of_key(key: str) -> str:
    """A session id, a bearer token or a pairing code as it is kept: it was drawn at random, so a fast hash is enough."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _scrypt(secret: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(
        secret.encode("utf-8", "surrogatepass"), salt=salt, n=n, r=r, p=p, maxmem=MEMORY, dklen=LENGTH
    )
