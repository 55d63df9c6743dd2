"""Encrypts secrets in the database."""

from __future__ import annotations

import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class WrongKey(Exception):
    """Data was encrypted with another key."""

    def __init__(self) -> None:
        super().__init__("the database was encrypted with another key; the server needs that key")


class Cipher:
    """Encrypts with the first key; decrypts with any."""

    def __init__(self, *keys: bytes) -> None:
        self._fernet = MultiFernet([Fernet(key.strip()) for key in keys])

    @staticmethod
    def new_key() -> bytes:
        return Fernet.generate_key()

    def encrypt(self, document: object) -> bytes:
        return self.seal(json.dumps(document).encode())

    def decrypt(self, secret: bytes) -> Any:
        """Raises WrongKey."""
        return json.loads(self.open(secret))

    def seal(self, data: bytes) -> bytes:
        """Encrypts bytes; the result is URL-safe Base64."""
        return self._fernet.encrypt(data)

    def open(self, sealed: bytes | str) -> bytes:
        """Raises WrongKey."""
        try:
            return self._fernet.decrypt(sealed)
        except InvalidToken:
            raise WrongKey from None
