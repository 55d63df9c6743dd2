"""Builds the authenticator, the policy and the cloud clients from the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from calor.config.settings import Certificates
from calor.server import tls
from calor.server.secrets import Secrets
from calor.server.settings import Settings

if TYPE_CHECKING:
    from calor.api.auth import Authenticator, IsAdmin
    from calor.clouds.connection_options import ConnectionOptions
    from calor.clouds.sessions import Cloud, ServiceAccount
    from calor.clouds.stack_users import StackUsers
    from calor.config.settings import Account
    from calor.service.policy import Policy

EMBEDDED_ACCOUNT = "heat"


def home_cloud(settings: Settings, secrets: Secrets) -> Cloud:
    """The cloud whose identity service authenticates callers."""
    from calor.clouds.sessions import ServiceAccount

    auth = settings.configured.auth
    if auth.account is None:
        password = secrets.passwords[EMBEDDED_ACCOUNT]
        # The public endpoints may be behind a proxy for outside clients.
        account = ServiceAccount(
            settings.auth_url, EMBEDDED_ACCOUNT, password, region=auth.region, interface="internal"
        )
    else:
        account = _service_account(settings, auth.account)
    return _cloud(settings, account)


def trusted_cloud(settings: Settings, home: Cloud) -> Cloud:
    """The same cloud, logged in as the trustee of the stack owners' trusts."""
    trustee = settings.configured.auth.trustee
    if trustee is None:
        return home
    account = _service_account(settings, trustee)
    # Share one session if the accounts are the same.
    return home if account == home.account else _cloud(settings, account)


def signature_clouds(settings: Settings, home: Cloud) -> tuple[Cloud, ...]:
    """The clouds whose identity services verify EC2 signatures, in the order in which they are tried."""
    auth = settings.configured.auth
    if auth.signature_accounts:
        return tuple(
            _cloud(settings, _service_account(settings, account), _verify(certificates))
            for account, certificates in auth.signature_accounts
        )
    url = auth.signatures_url
    return (home,) if url is None else (_cloud(settings, replace(home.account, auth_url=url)),)


def stack_users(settings: Settings, home: Cloud) -> StackUsers:
    from calor.clouds.stack_users import DomainAdmin, StackUsers

    users = settings.configured.users
    admin = DomainAdmin(users.admin, users.admin_password or "") if users.admin else None
    return StackUsers(home, users.domain_name, id=users.domain_id, role=users.role, admin=admin)


def verify_identity(settings: Settings) -> bool | str:
    """How to verify the identity service's certificate, as `requests` takes it: True, False or a CA file."""
    return _verify(settings.configured.auth.identity_certificates)


def _verify(certificates: Certificates) -> bool | str:
    return False if certificates.insecure else certificates.ca_file or True


def verify_services_with(settings: Settings) -> bool | str:
    """How to verify the certificates of all other services."""
    insecure = settings.configured.auth.service_certificates.insecure
    return False if insecure else ca_file(settings) or True


def ca_file(settings: Settings) -> str | None:
    """The CA file with which clients, the server included, verify the services' certificates."""
    if configured := settings.configured.auth.service_certificates.ca_file:
        return configured
    own = settings.configured.api.rest.cert_file
    # With a self-signed certificate of its own, clients need only that one to reach the embedded cloud.
    return own if own is not None and settings.is_embedded and tls.is_self_signed(own) else None


def policy(settings: Settings) -> Policy:
    from calor.service.policy import Policy

    auth = settings.configured.auth
    return Policy(str(auth.policy_file) if auth.policy_file else None, [str(one) for one in auth.policy_dirs])


def is_admin(policy: Policy, roles: Sequence[str], project: bool) -> bool:
    """Whether a user with these roles, in an admin project or not, is an admin of the cloud."""
    return policy.is_admin(roles, is_admin_project=project)


def authenticator(settings: Settings, home: Cloud, policy: Policy) -> Authenticator:
    """Raises LookupError if the configured plug-in is not installed."""
    from calor.api.auth import CustomAuthenticator, MultiCloud, load_backend

    auth = settings.configured.auth

    admin = partial(is_admin, policy)
    if auth.flavor == "custombackend":
        return CustomAuthenticator(load_backend(auth.backend, auth.backend_settings), admin)
    if not auth.clouds:
        return _of_one_cloud(settings, home, admin)
    others = (replace(home.account, auth_url=url) for url in auth.clouds)
    return MultiCloud(
        {account.auth_url: _of_one_cloud(settings, _cloud(settings, account), admin) for account in others}
    )


def token_authenticator(settings: Settings, home: Cloud, policy: Policy) -> Authenticator | None:
    """Who authenticates requests to the CFN API that are not signed; nobody if only signatures count. Raises
    LookupError if the configured plug-in is not installed."""
    if settings.configured.auth.flavor == "standalone":
        return None
    return authenticator(settings, home, policy)


def _cloud(settings: Settings, account: ServiceAccount, verify: bool | str | None = None) -> Cloud:
    from calor.clouds.sessions import Cloud

    return Cloud(
        account,
        verify=verify_identity(settings) if verify is None else verify,
        verify_services=verify_services_with(settings),
        options=_connection_options(settings),
    )


def _connection_options(settings: Settings) -> ConnectionOptions:
    from calor.clouds.connection_options import ConnectionOptions, ServiceOptions

    clients = settings.configured.auth.clients
    services = {}
    for name, client in clients.services.items():
        verify = None
        if client.ca_file is not None or client.insecure is not None:
            of_all = settings.configured.auth.service_certificates.insecure
            insecure = of_all if client.insecure is None else client.insecure
            verify = _verify(Certificates(client.ca_file or ca_file(settings), insecure))
        options = ServiceOptions(client.endpoint_type, verify, client.certificate, client.url)
        services.update(dict.fromkeys(_service_types(name), options))
    return ConnectionOptions(
        services=services,
        certificate=clients.certificate,
        shared_region=clients.shared_region,
        shared_types=frozenset(type for name in clients.shared_types for type in _service_types(name)),
        newest={_SHORT_NAMES[name]: version for name, version in clients.newest_versions.items()},
    )


_SHORT_NAMES = {"nova": "compute", "cinder": "volume"}


def _service_types(name: str) -> tuple[str, ...]:
    """All catalog types of a service, given Heat's name for it or one of the types."""
    from calor.service.availability import SERVICE_TYPES

    known = (types for heat_name, types in SERVICE_TYPES.items() if name == heat_name or name in types)
    return next(known, (name,))


def _of_one_cloud(settings: Settings, cloud: Cloud, is_admin: IsAdmin) -> Authenticator:
    from calor.api.auth.keystone import KeystoneAuthenticator, PasswordAuthenticator
    from calor.api.auth.memory import Memory

    auth = settings.configured.auth
    memory = Memory(seconds=auth.token_seconds)
    public_url = None if auth.clouds else settings.public_auth_url
    if auth.flavor == "standalone":
        return PasswordAuthenticator(
            cloud.identity_url,
            is_admin,
            public_url=public_url,
            memory=memory,
            verify=verify_identity(settings),
        )
    return KeystoneAuthenticator(cloud, is_admin, public_url=public_url, memory=memory)


def _service_account(settings: Settings, account: Account) -> ServiceAccount:
    from calor.clouds.sessions import ApplicationCredential, ServiceAccount

    auth = settings.configured.auth
    credential = account.application_credential
    return ServiceAccount(
        account.auth_url,
        account.username,
        account.password,
        project=account.project,
        user_domain=account.user_domain_id or "default",
        user_domain_name=None if account.user_domain_id else account.user_domain_name,
        project_domain=account.project_domain_id or "default",
        project_domain_name=None if account.project_domain_id else account.project_domain_name,
        region=auth.region,
        interface=auth.endpoint_type,
        user_id=account.user_id,
        project_id=account.project_id,
        application_credential=ApplicationCredential(credential.secret, credential.id, credential.name)
        if credential is not None
        else None,
    )
