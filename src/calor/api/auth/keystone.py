"""Authenticates callers with Keystone: by a token, or by name and password."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from calor.api.auth import Identity, IsAdmin
from calor.api.auth.memory import Memory
from calor.api.errors import Unauthorized, Unavailable
from calor.clouds.sessions import Cloud, versioned
from calor.resources.values import JsonObject
from calor.service.caller import Caller

TIMEOUT = 30.0


class KeystoneAuthenticator:
    """Authenticates by X-Auth-Token, which is validated with the token of the service account."""

    def __init__(
        self,
        cloud: Cloud,
        is_admin: IsAdmin,
        *,
        public_url: str | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._url = cloud.identity_url
        self._session = cloud.service
        self._public_url = public_url or cloud.account.auth_url
        self._is_admin = is_admin
        self._memory = memory or Memory()

    @property
    def challenge(self) -> str:
        return f'Keystone uri="{self._public_url}"'

    def authenticate(self, headers: Mapping[str, str], project: str) -> Caller:
        return self._identity(headers).acting_in(project, self._is_admin)

    def authenticate_at_home(self, headers: Mapping[str, str]) -> Caller:
        return self._identity(headers).at_home(self._is_admin)

    def _identity(self, headers: Mapping[str, str]) -> Identity:
        token = headers.get("x-auth-token", "").strip()
        if not token:
            raise Unauthorized
        return self._memory.identity(token, lambda: self._validated(token))

    def _validated(self, token: str) -> Identity:
        from keystoneauth1.exceptions import ClientException, HttpError, NotFound

        try:
            answer = self._session.get(f"{self._url}/auth/tokens", headers={"X-Subject-Token": token})
            return _identity(token, answer.json())
        except NotFound:
            raise Unauthorized from None
        except HttpError as error:
            if error.http_status == 400:
                raise Unauthorized from None
            raise Unavailable(f"Keystone cannot authenticate the request: {error}") from None
        except (ClientException, KeyError, ValueError) as error:
            raise Unavailable(f"Keystone cannot authenticate the request: {error}") from None


class PasswordAuthenticator:
    """Authenticates by X-Auth-User and X-Auth-Key, with which Keystone issues a token for the project of the path."""

    def __init__(
        self,
        auth_url: str,
        is_admin: IsAdmin,
        *,
        public_url: str | None = None,
        memory: Memory | None = None,
        verify: bool | str = True,
    ) -> None:
        # Slow to import.
        from keystoneauth1.session import Session

        self._url = versioned(auth_url)
        self._public_url = public_url or auth_url
        self._is_admin = is_admin
        self._memory = memory or Memory()
        self._session = Session(verify=verify, timeout=TIMEOUT)

    @property
    def challenge(self) -> str:
        return f'Keystone uri="{self._public_url}"'

    def authenticate(self, headers: Mapping[str, str], project: str) -> Caller:
        user, key = headers.get("x-auth-user", ""), headers.get("x-auth-key", "")
        domain = headers.get("x-user-domain-id") or "default"
        if not user or not key:
            raise Unauthorized
        proof = "\0".join((user, key, domain, project))
        identity = self._memory.identity(proof, lambda: self._logged_in(user, key, domain, project))
        return identity.acting_in(project, self._is_admin)

    def authenticate_at_home(self, headers: Mapping[str, str]) -> Caller:
        raise Unauthorized("A name and a password do not determine the project.")

    def _logged_in(self, user: str, key: str, domain: str, project: str) -> Identity:
        from keystoneauth1.exceptions import ClientException, HttpError

        who = {"name": user, "password": key, "domain": {"id": domain}}
        request = {
            "identity": {"methods": ["password"], "password": {"user": who}},
            "scope": {"project": {"id": project}},
        }
        try:
            answer = self._session.post(
                f"{self._url}/auth/tokens", json={"auth": request}, authenticated=False
            )
            return _identity(answer.headers["X-Subject-Token"], answer.json())
        except HttpError as error:
            if error.http_status in (400, 401, 403, 404):
                raise Unauthorized from None
            raise Unavailable(f"Keystone cannot authenticate the request: {error}") from None
        except (ClientException, KeyError, ValueError) as error:
            raise Unavailable(f"Keystone cannot authenticate the request: {error}") from None


def _identity(token: str, answer: JsonObject) -> Identity:
    body: JsonObject = answer["token"]
    return Identity.of_token(token, body, _moment(body.get("expires_at")))


def _moment(text: str | None) -> float:
    """A timestamp in Keystone's format; infinite for a token that does not expire."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else float("inf")
