"""Sessions with a cloud: as the service account, through a trust, with a token, or as a user."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from calor.clouds.cache import TtlCache
from calor.clouds.calls import Api, content
from calor.clouds.connection_options import ConnectionOptions, ServiceOptions, root_of
from calor.clouds.errors import CloudError, Forbidden, NotFound, Permanent, Unauthorized, translated
from calor.resources.values import JsonObject

if TYPE_CHECKING:
    from keystoneauth1.access import AccessInfo
    from keystoneauth1.identity.v3 import Password
    from keystoneauth1.plugin import BaseAuthPlugin
    from keystoneauth1.session import Session

# Seconds to wait for a connection, and for each part of a response.
TIMEOUT = 60.0

REMEMBERED = 256
REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ApplicationCredential:
    """Identified by its id, or by its name and user."""

    secret: str = field(repr=False)
    id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """The account of this service. A domain's name takes precedence over its id; the ids of user and project take
    precedence over their names. An application credential is bound to its project: it cannot be used for trusts or
    domains."""

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
    """Which endpoints of the catalog to use."""
    user_id: str | None = None
    project_id: str | None = None
    application_credential: ApplicationCredential | None = None


class Cloud:
    """A cloud with its identity service. Sessions log in when they are first used and when their token expires; they
    share connections."""

    def __init__(
        self,
        account: ServiceAccount,
        *,
        verify: bool | str = True,
        verify_services: bool | str = True,
        options: ConnectionOptions | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        """`verify` is for the identity service, `verify_services` for all others without `options` of their own."""
        # Slow to import, as everywhere below.
        from calor.clouds.connections import IdleLimitAdapter
        from calor.clouds.plain_requests import PlainSession

        self.account = account
        self.identity_url = versioned(account.auth_url)
        self.options = options or ConnectionOptions()
        self._verify = verify
        self._others = ServiceOptions(verify=verify_services, certificate=self.options.certificate)
        self._overrides: dict[str, ServiceOptions] = {}
        self._timeout = timeout
        # Services reject a cached token that has been revoked.
        self._tokens: TtlCache[Session] = TtlCache(REMEMBERED_SECONDS, REMEMBERED)
        auth = self._project_login()
        self._connections = PlainSession()
        # Separate pools: services on the identity service's host may be verified differently.
        for address in ("http://", "https://", self.identity_url):
            self._connections.mount(address, IdleLimitAdapter())
        self.service: Session = self._session(auth)

    def prefetch_token(self) -> threading.Thread:
        """Logs the service account in, in a background thread, so that the first request does not have to. Errors are
        ignored: the next request tries again."""
        thread = threading.Thread(target=self._try_login, name="calor-log-in", daemon=True)
        thread.start()
        return thread

    def _try_login(self) -> None:
        with suppress(CloudError):
            access_of(self.service)

    def through_trust(self, trust_id: str) -> Session:
        """The service account, acting as the user who gave the trust."""
        from calor.clouds.trusted import TrustLogin

        by_password = self._login(trust_id=trust_id)
        return self._session(TrustLogin(self.identity_url, trust_id, self.service, by_password))

    def in_domain(self, domain_id: str) -> Session:
        """The service account with the roles it has on a domain."""
        return self._session(self._login(domain_id=domain_id))

    def as_domain_admin(
        self, username: str, password: str, domain_name: str, domain_id: str | None = None
    ) -> Session:
        """A user of a domain, with their roles on it. The domain's id takes precedence over its name."""
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
        """A session with the token itself, until it expires: tokens of trusts and application credentials cannot be
        exchanged for others. Validates the token, with a cache; raises Unauthorized."""
        return self._tokens.get_or_load(token, lambda: self._validate(token))

    def _validate(self, token: str) -> Session:
        from keystoneauth1 import access
        from keystoneauth1.identity.access import AccessInfoPlugin

        headers = {"X-Subject-Token": token}
        try:
            # Keystone does not allow a trust's token to validate itself.
            shown = self.identity(self.service).send("GET", "/auth/tokens", headers=headers)
        except NotFound as error:
            raise Unauthorized(error.message, request_id=error.request_id, status=error.status) from error
        except Forbidden:
            # The account may not validate tokens; most tokens may validate themselves.
            bare = Api(self._session(None), self.identity_url, "identity")
            shown = bare.send("GET", "/auth/tokens", headers={**headers, "X-Auth-Token": token})
        info = access.create(body=content(shown), auth_token=token)
        return self._session(AccessInfoPlugin(info, self.identity_url))

    def identity(self, session: Session) -> Api:
        """The identity service, with the session's user."""
        return Api(session, self.identity_url, "identity")

    def endpoint(
        self,
        session: Session,
        service_type: str,
        interface: str | None = None,
        region: str | None = None,
    ) -> str:
        """A service's endpoint from the catalog. Interface and region default to those of the service account."""
        options = self.options.of(service_type)
        if (url := options.address(access_of(session).project_id if options.url else None)) is not None:
            return self._override(url, options)
        region = self.options.region(service_type, region or self.account.region)
        interface = interface or options.interface or self.account.interface
        with translated():
            url = session.get_endpoint(
                service_type=service_type, interface=interface, region_name=region, skip_discovery=True
            )
        if not url:
            where = f" in the region {region}" if region else ""
            raise Permanent(f"The catalog has no {interface} endpoint of type {service_type}{where}.")
        return self._override(str(url), options)

    def _override(self, url: str, options: ServiceOptions) -> str:
        """Applies the TLS options of a service to its URL."""
        if options.verify is not None or options.certificate is not None:
            self._overrides[root_of(url)] = options
        return url.rstrip("/")

    def _project_login(self) -> BaseAuthPlugin:
        """The service account's login for its own project."""
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
            return self._login(project_id=account.project_id)
        return self._login(
            project_name=account.project,
            **_domain("project_domain", account.project_domain, account.project_domain_name),
        )

    def _user(self) -> JsonObject:
        account = self.account
        if account.user_id is not None:
            return {"user_id": account.user_id}
        domain = _domain("user_domain", account.user_domain, account.user_domain_name)
        return {"username": account.username, **domain}

    def _login(self, **scope: Any) -> Password:
        """The service account's login for a scope."""
        from keystoneauth1.identity import v3

        if self.account.application_credential is not None:
            raise Permanent("An application credential cannot be used for a trust or a domain.")
        return v3.Password(self.identity_url, password=self.account.password, **self._user(), **scope)

    def _session(self, auth: BaseAuthPlugin | None) -> Session:
        from calor.clouds.tls_session import TlsSession

        return TlsSession(
            self.identity_url,
            self._others,
            self._overrides,
            auth=auth,
            session=self._connections,
            verify=self._verify,
            timeout=self._timeout,
            user_agent="calor",
        )


def _domain(kind: str, id: str, name: str | None) -> JsonObject:
    return {f"{kind}_name": name} if name else {f"{kind}_id": id}


def access_of(session: Session) -> AccessInfo:
    """The session's user, project and roles; logs in if necessary."""
    with translated():
        auth: Any = session.auth
        info: AccessInfo = auth.get_access(session)
        return info


def versioned(auth_url: str) -> str:
    """The URL of version 3 of the identity service, given with or without a version."""
    return re.sub(r"/v(2\.0|3)\Z", "", auth_url.rstrip("/")) + "/v3"
