"""Encrypting with one key, reading with several."""

from __future__ import annotations

import pytest

from calor.store.cipher import Cipher, WrongKey


def test_what_is_encrypted_is_read_again() -> None:
    cipher = Cipher(Cipher.new_key())

    sealed = cipher.encrypt({"trust_id": "t", "n": [1, None]})

    assert b"trust_id" not in sealed
    assert cipher.decrypt(sealed) == {"trust_id": "t", "n": [1, None]}


def test_older_keys_are_good_for_reading() -> None:
    old, new = Cipher.new_key(), Cipher.new_key()

    assert Cipher(new, old).decrypt(Cipher(old).encrypt("x")) == "x"
    assert Cipher(new).decrypt(Cipher(new, old).encrypt("x")) == "x"


def test_another_key_reads_nothing_and_is_reported() -> None:
    sealed = Cipher(Cipher.new_key()).encrypt("x")

    with pytest.raises(WrongKey, match="another key"):
        Cipher(Cipher.new_key()).decrypt(sealed)


def test_data_that_was_never_encrypted_raises_the_same_error() -> None:
    with pytest.raises(WrongKey):
        Cipher(Cipher.new_key()).decrypt(b"no token")
