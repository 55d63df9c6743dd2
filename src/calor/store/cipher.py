"""Encrypts what must not be read in the database."""

from __future__ import annotations

import json
from typing import Any

from cryptography.fernet import Fernet


class Cipher:
    """With one key. What was encrypted with another cannot be read."""

    def __init__(self, key: bytes) -> None:
        self._fernet = Fernet(key)

    @staticmethod
    def new_key() -> bytes:
        return Fernet.generate_key()

    def encrypt(self, document: Any) -> bytes:
        return self._fernet.encrypt(json.dumps(document).encode())

    def decrypt(self, secret: bytes) -> Any:
        return json.loads(self._fernet.decrypt(secret))
