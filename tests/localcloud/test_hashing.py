"""How passwords are kept."""

from __future__ import annotations

from calor.localcloud.identity.hashing import hash_password, hash_random, password_fits


def test_a_random_password_is_checked_like_any_other() -> None:
    for stored in (hash_password("one"), hash_random("one")):
        assert password_fits(stored, "one")
        assert not password_fits(stored, "two")


def test_the_same_password_is_never_kept_in_the_same_way() -> None:
    assert hash_random("one") != hash_random("one")
