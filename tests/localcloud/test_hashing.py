"""How passwords are kept."""

from __future__ import annotations

import asyncio

import pytest

from calor.clouds.stack_users import new_password
from calor.localcloud.identity.hashing import Passwords, hash_password, hash_random, is_random, password_fits


def test_a_random_password_is_checked_like_any_other() -> None:
    for stored in (hash_password("one"), hash_random("one")):
        assert password_fits(stored, "one")
        assert not password_fits(stored, "two")


def test_hashes_of_the_same_password_differ() -> None:
    assert hash_random("one") != hash_random("one")


def test_random_passwords_are_recognized() -> None:
    assert all(is_random(new_password()) for _ in range(100))


@pytest.mark.parametrize(
    "chosen",
    ["secret", "Tr0ub4dor&3", "correct horse battery staple and so on", "Ab1" * 20, "0123456789abcdef" * 2],
)
def test_chosen_passwords_are_hashed_slowly(chosen: str) -> None:
    assert not is_random(chosen)


@pytest.mark.parametrize("password", ["chosen", new_password()], ids=["chosen", "random"])
def test_all_hash_formats_are_verified(password: str) -> None:
    async def tried() -> list[bool]:
        passwords = Passwords()
        stored = await passwords.hash(password)
        return [await passwords.fits(stored, one) for one in (password, password, f"{password}!")]

    assert asyncio.run(tried()) == [True, True, False]
