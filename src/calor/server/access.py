"""Who is let in, and in whose name the server acts: the configuration made into objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from calor.config.settings import Certificates
from calor.server import tls
from calor.server.secrets import Secrets
from calor.server.settings import Settings

if TYPE_CHECKING:
    from calor.api.auth import Authenticator, IsAdmin
    from calor.clouds.reaching import Reaching
    from calor.clouds.sessions import Cloud, ServiceAccount
    from calor.clouds.stack_users import StackUsers
    from calor.config.settings import Account
    from calor.service.policy import Policy

EMBEDDED_ACCOUNT = "heat"


def home_cloud(settings: Settings, secrets: Secrets) -> Cloud:
    """The cloud whose identity service knows the callers."""
    from calor.clouds.sessions import ServiceAccount

    auth = settings.configured.auth
    if auth.account is None:
        password = secrets.passwords[EMBEDDED_ACCOUNT]
        # What is in front of the public endpoints is for others.
        account = ServiceAccount(
            settings.auth_url, EMBEDDED_ACCOUNT, password, region=auth.region, interface="internal"
        )
    else:
        account = _service_account(settings, auth.account)
    return _cloud(settings, account)


def trusted_cloud(settings: Settings, home: Cloud) -> Cloud:
    """The same cloud, as whoever is given the trusts of stacks' owners."""
    trustee = settings.configured.auth.trustee
    if trustee is None:
        return home
    return _cloud(settings, _service_account(settings, trustee))


def signature_clouds(settings: Settings, home: Cloud) -> tuple[Cloud, ...]:
    """The clouds whose identity services check signatures, in the order in which they are asked."""
    auth = settings.configured.auth
    if auth.signature_accounts:
        return tuple(
            _cloud(settings, _service_account(settings, account), _verifying(certificates))
            for account, certificates in auth.signature_accounts
        )
    url = auth.signatures_url
    return (home,) if url is None else (_cloud(settings, replace(home.account, auth_url=url)),)


def stack_users(settings: Settings, home: Cloud) -> StackUsers:
    from calor.clouds.stack_users import DomainAdmin, StackUsers

    users = settings.configured.users
    admin = DomainAdmin(users.admin, users.admin_password or "") if users.admin else None
    return StackUsers(home, users.domain_name, id=users.domain_id, role=users.role, admin=admin)


def verifying(settings: Settings) -> bool | str:
    """How the certificate of the identity service is checked: not at all, by the usual authorities, or by those of a
    file."""
    return _verifying(settings.configured.auth.identity_certificates)


def _verifying(met: Certificates) -> bool | str:
    return False if met.insecure else met.ca_file or True


def verifying_services(settings: Settings) -> bool | str:
    """The same for all other services."""
    insecure = settings.configured.auth.service_certificates.insecure
    return False if insecure else ca_file(settings) or True


def ca_file(settings: Settings) -> str | None:
    """What clients, the server itself among them, need to believe the certificates of services."""
    if configured := settings.configured.auth.service_certificates.ca_file:
        return configured
    own = settings.configured.api.rest.cert_file
    # Nobody but the embedded cloud is met with this certificate alone.
    return own if own is not None and settings.is_embedded and tls.is_self_signed(own) else None


def policy(settings: Settings) -> Policy:
    from calor.service.policy import Policy

    auth = settings.configured.auth
    return Policy(str(auth.policy_file) if auth.policy_file else None, [str(one) for one in auth.policy_dirs])


def authenticator(settings: Settings, home: Cloud, policy: Policy) -> Authenticator:
    """Raises LookupError if a plug-in is wanted that is not there."""
    from calor.api.auth import CustomAuthenticator, MultiCloud, load_backend

    auth = settings.configured.auth

    def is_admin(roles: Sequence[str], project: bool) -> bool:
        return policy.is_admin(roles, is_admin_project=project)

    if auth.flavor == "custombackend":
        return CustomAuthenticator(load_backend(auth.backend, auth.backend_settings), is_admin)
    if not auth.clouds:
        return _of_one_cloud(settings, home, is_admin)
    others = (replace(home.account, auth_url=url) for url in auth.clouds)
    return MultiCloud(
        {account.auth_url: _of_one_cloud(settings, _cloud(settings, account), is_admin) for account in others}
    )


def _cloud(settings: Settings, account: ServiceAccount, verify: bool | str | None = None) -> Cloud:
    from calor.clouds.sessions import Cloud

    return Cloud(
        account,
        verify=verifying(settings) if verify is None else verify,
        verify_services=verifying_services(settings),
        reaching=_reaching(settings),
    )


def _reaching(settings: Settings) -> Reaching:
    from calor.clouds.reaching import Reach, Reaching

    clients = settings.configured.auth.clients
    reaches = {}
    for name, client in clients.services.items():
        verify = None
        if client.ca_file is not None or client.insecure is not None:
            of_all = settings.configured.auth.service_certificates.insecure
            insecure = of_all if client.insecure is None else client.insecure
            verify = _verifying(Certificates(client.ca_file or ca_file(settings), insecure))
        reach = Reach(client.endpoint_type, verify, client.certificate, client.url)
        reaches.update(dict.fromkeys(_service_types(name), reach))
    return Reaching(
        services=reaches,
        certificate=clients.certificate,
        shared_region=clients.shared_region,
        shared_types=frozenset(type for name in clients.shared_types for type in _service_types(name)),
        newest={_SHORT_NAMES[name]: version for name, version in clients.newest_versions.items()},
    )


_SHORT_NAMES = {"nova": "compute", "cinder": "volume"}


def _service_types(name: str) -> tuple[str, ...]:
    """All types under which catalogs have a service, by Heat's name for it or one of the types."""
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
            cloud.identity_url, is_admin, public_url=public_url, memory=memory, verify=verifying(settings)
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
