"""Encrypts what must not be read in the database."""

from __future__ import annotations

import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class WrongKey(Exception):
    """Something was encrypted with a key that is not at hand."""

    def __init__(self) -> None:
        super().__init__(
            "what is stored was encrypted with another key; the server needs the key it was made with"
        )


class Cipher:
    """Encrypts with the first key, and reads what was encrypted with any of them."""

    def __init__(self, *keys: bytes) -> None:
        self._fernet = MultiFernet([Fernet(key.strip()) for key in keys])

    @staticmethod
    def new_key() -> bytes:
        return Fernet.generate_key()

    def encrypt(self, document: Any) -> bytes:
        return self.seal(json.dumps(document).encode())

    def decrypt(self, secret: bytes) -> Any:
        """Raises WrongKey."""
        return json.loads(self.open(secret))

    def seal(self, data: bytes) -> bytes:
        """Bytes as text of the URL-safe Base64 alphabet."""
        return self._fernet.encrypt(data)

    def open(self, sealed: bytes | str) -> bytes:
        """Raises WrongKey."""
        try:
            return self._fernet.decrypt(sealed)
        except InvalidToken:
            raise WrongKey from None
