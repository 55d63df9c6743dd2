"""Sessions with a cloud: as the service account, through a trust, with a token, as some user."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any

from calor.clouds.calls import Api, content
from calor.clouds.errors import Forbidden, NotFound, Permanent, Unauthorized, translated
from calor.clouds.memory import Memory
from calor.clouds.reaching import Reach, Reaching, root_of

if TYPE_CHECKING:
    from keystoneauth1.plugin import BaseAuthPlugin
    from keystoneauth1.session import Session

# Seconds to wait for a connection, and then for the next piece of an answer.
TIMEOUT = 60.0

REMEMBERED = 256
REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ApplicationCredential:
    """By its id, or by its name and the user whose it is."""

    secret: str = field(repr=False)
    id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """Whom the service itself logs in as. A domain's name, if there is one, goes before its id; the ids of the user and
    the project go before their names. An application credential is bound to its project, so that it serves for no trust
    and no domain."""

    auth_url: str
    username: str
    password: str = field(repr=False)
    project: str = "service"
    user_domain: str = "default"
    project_domain: str = "default"
    region: str | None = None
    user_domain_name: str | None = None
    project_domain_name: str | None = None
    interface: str = "public"
    """Which endpoints of the catalog are used."""
    user_id: str | None = None
    project_id: str | None = None
    application_credential: ApplicationCredential | None = None


class Cloud:
    """A cloud, known by its identity service. A session logs in when it is first used, and again when its token ends;
    all of them share their connections."""

    def __init__(
        self,
        account: ServiceAccount,
        *,
        verify: bool | str = True,
        verify_services: bool | str = True,
        reaching: Reaching | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        """`verify` is how the identity service is believed, `verify_services` how all others are that `reaching` says
        nothing about."""
        # Slow to import, as everywhere below.
        import requests

        from calor.clouds.connections import RestlessAdapter

        self.account = account
        self.identity_url = versioned(account.auth_url)
        self.reaching = reaching or Reaching()
        self._verify = verify
        self._others = Reach(verify=verify_services, certificate=self.reaching.certificate)
        self._singled_out: dict[str, Reach] = {}
        self._timeout = timeout
        # A token that was revoked meanwhile is refused by whatever it is used for.
        self._tokens: Memory[Session] = Memory(REMEMBERED_SECONDS, REMEMBERED)
        auth = self._log_in_at_home()
        self._connections = requests.Session()
        # They are those of many users: a cookie for one must not be sent for another.
        self._connections.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        # One to a service, believed by its rule, must not be taken for the identity service at the same host.
        for address in ("http://", "https://", self.identity_url):
            self._connections.mount(address, RestlessAdapter())
        self.service: Session = self._session(auth)

    def through_trust(self, trust_id: str) -> Session:
        """The service account, acting as the user who gave the trust."""
        return self._session(self._log_in(trust_id=trust_id))

    def in_domain(self, domain_id: str) -> Session:
        """The service account with the roles it has on a domain."""
        return self._session(self._log_in(domain_id=domain_id))

    def as_domain_admin(
        self, username: str, password: str, domain_name: str, domain_id: str | None = None
    ) -> Session:
        """A user of a domain, with the roles they have on it. The domain's id, if given, goes before its name."""
        from keystoneauth1.identity import v3

        return self._session(
            v3.Password(
                self.identity_url,
                username=username,
                password=password,
                user_domain_id=domain_id,
                domain_id=domain_id,
                user_domain_name=None if domain_id else domain_name,
                domain_name=None if domain_id else domain_name,
            )
        )

    def as_user(self, user_id: str, password: str, project_id: str) -> Session:
        from keystoneauth1.identity import v3

        return self._session(
            v3.Password(self.identity_url, user_id=user_id, password=password, project_id=project_id)
        )

    def with_token(self, token: str) -> Session:
        """The token as it is, until it ends. It is not exchanged for another: those of trusts and application
        credentials cannot be. Asks the cloud what the token is worth, or remembers; raises Unauthorized if
        nothing."""
        return self._tokens.recall(token, lambda: self._opened(token))

    def _opened(self, token: str) -> Session:
        from keystoneauth1 import access
        from keystoneauth1.identity.access import AccessInfoPlugin

        asked = {"X-Subject-Token": token}
        try:
            # Keystone does not let the token of a trust ask about itself.
            shown = self.identity(self.service).send("GET", "/auth/tokens", headers=asked)
        except NotFound as error:
            raise Unauthorized(error.message, request_id=error.request_id, status=error.status) from error
        except Forbidden:
            # A trustee may be nobody's judge; most tokens may ask for themselves.
            bare = Api(self._session(None), self.identity_url, "identity")
            shown = bare.send("GET", "/auth/tokens", headers={**asked, "X-Auth-Token": token})
        info = access.create(body=content(shown), auth_token=token)
        return self._session(AccessInfoPlugin(info, self.identity_url))

    def identity(self, session: Session) -> Api:
        """The identity service, in the name of whomever the session is for."""
        return Api(session, self.identity_url, "identity")

    def endpoint(
        self,
        session: Session,
        service_type: str,
        interface: str | None = None,
        region: str | None = None,
    ) -> str:
        """Where the catalog says that a service is; interface and region are those of the service account unless
        told otherwise."""
        reach = self.reaching.of(service_type)
        if (stated := reach.address(access_of(session).project_id if reach.url else None)) is not None:
            return self._single_out(stated, reach)
        region = self.reaching.region(service_type, region or self.account.region)
        interface = interface or reach.interface or self.account.interface
        with translated():
            url = session.get_endpoint(
                service_type=service_type, interface=interface, region_name=region, skip_discovery=True
            )
        if not url:
            where = f" in the region {region}" if region else ""
            raise Permanent(f"The catalog has no {interface} endpoint of type {service_type}{where}.")
        return self._single_out(str(url), reach)

    def _single_out(self, url: str, reach: Reach) -> str:
        """Sees to it that a service is believed as the operator says."""
        if reach.verify is not None or reach.certificate is not None:
            self._singled_out[root_of(url)] = reach
        return url.rstrip("/")

    def _log_in_at_home(self) -> BaseAuthPlugin:
        """The service account's log-in in its own project."""
        from keystoneauth1.identity import v3

        account = self.account
        if (credential := account.application_credential) is not None:
            by_name = (
                {} if credential.id else {"application_credential_name": credential.name, **self._user()}
            )
            return v3.ApplicationCredential(
                self.identity_url,
                application_credential_secret=credential.secret,
                application_credential_id=credential.id,
                **by_name,
            )
        if account.project_id is not None:
            return self._log_in(project_id=account.project_id)
        return self._log_in(
            project_name=account.project,
            **_domain("project_domain", account.project_domain, account.project_domain_name),
        )

    def _user(self) -> dict[str, Any]:
        account = self.account
        if account.user_id is not None:
            return {"user_id": account.user_id}
        domain = _domain("user_domain", account.user_domain, account.user_domain_name)
        return {"username": account.username, **domain}

    def _log_in(self, **scope: Any) -> BaseAuthPlugin:
        """The service account's log-in for a scope."""
        from keystoneauth1.identity import v3

        if self.account.application_credential is not None:
            raise Permanent("An application credential cannot be used for a trust or a domain.")
        return v3.Password(self.identity_url, password=self.account.password, **self._user(), **scope)

    def _session(self, auth: BaseAuthPlugin | None) -> Session:
        from calor.clouds.believing import BelievingSession

        return BelievingSession(
            self.identity_url,
            self._others,
            self._singled_out,
            auth=auth,
            session=self._connections,
            verify=self._verify,
            timeout=self._timeout,
            user_agent="calor",
        )


def _domain(kind: str, id: str, name: str | None) -> dict[str, Any]:
    return {f"{kind}_name": name} if name else {f"{kind}_id": id}


def access_of(session: Session) -> Any:
    """Who the session is for, where, and with which roles, as keystoneauth tells it; logs in if need be."""
    with translated():
        auth: Any = session.auth
        return auth.get_access(session)


def versioned(auth_url: str) -> str:
    """The address of version 3 of the identity service, whether or not the version was given."""
    return re.sub(r"/v(2\.0|3)\Z", "", auth_url.rstrip("/")) + "/v3"
