"""Hashes of secrets: SHA-256 for tokens, which are long and random; scrypt, which is slow on purpose, for passwords."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from typing import TypeGuard

_COST = (2**14, 8, 1)
_NO_COST = (2, 8, 1)
_QUICK = "scrypt$2$"
_RANDOM_LENGTH, _RANDOM_VARIETY = 32, 18
_REMEMBERED = 1024
AT_ONCE = 1
"""The number of passwords that are hashed at the same time."""


def fingerprint(secret: str) -> str:
    """The hash of a random secret, for lookups."""
    return hashlib.sha256(secret.encode()).hexdigest()


def hash_password(password: str) -> str:
    return _hash(password, _COST)


def hash_random(password: str) -> str:
    """A fast hash for long random passwords, which cannot be guessed. The response time may reveal that the user
    exists."""
    return _hash(password, _NO_COST)


def is_random(password: str) -> bool:
    """Whether a password is long and random, such as those that the engine generates for users of stacks."""
    kinds = (str.isupper, str.islower, str.isdigit)
    return (
        len(password) >= _RANDOM_LENGTH
        and len(set(password)) >= _RANDOM_VARIETY
        and all(any(map(kind, password)) for kind in kinds)
    )


def password_fits(stored: str, password: str) -> bool:
    _, n, r, p, salt, digest = stored.split("$")
    found = _scrypt(password, bytes.fromhex(salt), int(n), int(r), int(p))
    return hmac.compare_digest(found, bytes.fromhex(digest))


def _hash(password: str, cost: tuple[int, int, int]) -> str:
    salt = secrets.token_bytes(16)
    return _encode(cost, salt, _scrypt(password, salt, *cost))


def _encode(cost: tuple[int, int, int], salt: bytes, digest: bytes) -> str:
    n, r, p = cost
    return f"scrypt${n}${r}${p}${salt.hex()}${digest.hex()}"


def _is_quick(stored: str | None) -> TypeGuard[str]:
    return stored is not None and stored.startswith(_QUICK)


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, maxmem=2**26, dklen=32)


class Passwords:
    """Hashes passwords in threads, and caches successful checks, so that only the first use is slow.

    The cache is keyed with a secret of this process. A changed password has another hash, so nothing has to be
    invalidated.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._fitting: OrderedDict[bytes, None] = OrderedDict()
        # Used for unknown users, so that the response time does not reveal which users exist.
        self._nobody = _encode(_COST, secrets.token_bytes(16), secrets.token_bytes(32))
        # Each takes 16 MB for a moment.
        self._hashing = asyncio.Semaphore(AT_ONCE)

    async def hash(self, password: str) -> str:
        if is_random(password):
            return hash_random(password)
        async with self._hashing:
            return await asyncio.to_thread(hash_password, password)

    async def fits(self, stored: str | None, password: str) -> bool:
        remembered = self._cache_key(stored or self._nobody, password)
        if remembered in self._fitting:
            self._fitting.move_to_end(remembered)
            return True
        if _is_quick(stored):
            fits = password_fits(stored, password)
        else:
            async with self._hashing:
                fits = await asyncio.to_thread(password_fits, stored or self._nobody, password)
        if fits:
            self._fitting[remembered] = None
            if len(self._fitting) > _REMEMBERED:
                self._fitting.popitem(last=False)
        return fits and stored is not None

    def _cache_key(self, stored: str, password: str) -> bytes:
        return hmac.digest(self._key, f"{stored}\0{password}".encode(), "sha256")
