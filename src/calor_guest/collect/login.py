"""Log-in to the identity service, kept for the next collections."""

import hashlib
import os
import time
from typing import TYPE_CHECKING, Callable, Optional, TypeVar

from calor_guest.collect.options import Settings
from calor_guest.common import files

if TYPE_CHECKING:
    from calor_guest.common.http import Tls
    from calor_guest.common.keystone import Session

T = TypeVar("T")


class Login:
    """Of one user. The modules for HTTP are imported late, since servers that boot collect from files first."""

    def __init__(
        self, settings: Settings, auth_url: str, user_id: str, password: str, project_id: str
    ) -> None:
        keeping = settings.section("keystone")
        self._who = (auth_url, user_id, password, project_id)
        self._lasts = keeping.number("cache_ttl")
        self._folder = keeping.text("cache_dir")
        self._session: Optional[Session] = None
        self._until = 0.0

    def call(self, request: "Callable[[Session], T]", tls: "Optional[Tls]" = None) -> T:
        """Sends a request; once more with a new token, if the old one is not accepted. Raises RequestFailed."""
        from calor_guest.common.http import RequestFailed

        session = self._kept()
        if session is not None:
            try:
                return request(session)
            except RequestFailed as error:
                if error.status != 401:
                    raise
        return request(self._fresh(tls))

    def _kept(self) -> "Optional[Session]":
        from calor_guest.common.keystone import Session

        if self._session is not None and time.time() < self._until:
            return self._session
        try:
            found = files.read_json(self._file) if self._folder else None
            if found and time.time() < found["until"]:
                return Session(found["token"], found["catalog"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None

    def _fresh(self, tls: "Optional[Tls]") -> "Session":
        from calor_guest.common import http, keystone

        self._session = keystone.log_in(*self._who, tls=tls or http.VERIFIED)
        self._until = time.time() + self._lasts
        if self._folder:
            files.make_private_folder(self._folder)
            kept = {
                "until": self._until,
                "token": self._session.token,
                "catalog": list(self._session.catalog),
            }
            files.write_json(self._file, kept)
        return self._session

    @property
    def _file(self) -> str:
        digest = hashlib.sha256("\n".join(self._who).encode("utf-8")).hexdigest()
        return os.path.join(self._folder or "", f"keystone-{digest[:32]}.json")
