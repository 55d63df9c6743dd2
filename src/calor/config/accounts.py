"""Reads credentials and client settings from the options."""

from __future__ import annotations

import re

from oslo_config import cfg

from calor.config.loading import ConfigError
from calor.config.options.access import CLIENTS
from calor.config.settings import Account, ApplicationCredential, Certificates, Client

_BY_PASSWORD = ("password", "v3password")
_BY_CREDENTIAL = "v3applicationcredential"
_MICROVERSION = re.compile(r"\d+\.\d+")


def service_account(conf: cfg.ConfigOpts) -> Account | None:
    """The account that Calor logs in with; None if the embedded identity service is used. Raises ConfigError."""
    group = conf.keystone_authtoken
    other = _credentials(conf, "keystone_authtoken")
    url = other.auth_url or group.www_authenticate_uri
    return _account(conf, "keystone_authtoken", url) if url else None


def trustee(conf: cfg.ConfigOpts, account: Account | None) -> Account | None:
    """The trustee of trusts if it is not the service account, else None. Raises ConfigError."""
    group = _credentials(conf, "trustee")
    if account is None or not (group.username or group.user_id):
        if account is not None and account.application_credential is not None:
            raise ConfigError(
                "[trustee] username is missing: the application credential of [keystone_authtoken] cannot use trusts"
            )
        return None
    found = _account(conf, "trustee", group.auth_url or account.auth_url)
    if found.application_credential is not None:
        raise ConfigError("[trustee] auth_type: an application credential cannot use trusts")
    return found


def signature_accounts(
    conf: cfg.ConfigOpts, account: Account | None
) -> tuple[tuple[Account, Certificates], ...]:
    """The accounts that verify EC2 signatures; empty if the service account does. Raises ConfigError."""
    group = conf.ec2authtoken
    if group.multi_cloud:
        if not group.clouds:
            raise ConfigError("[ec2authtoken] multi_cloud needs clouds")
        return tuple(_signature_account(conf, f"ec2authtoken.{name}", None) for name in group.clouds)
    named = _credentials(conf, "ec2authtoken")
    if not (named.username or named.user_id or named.application_credential_secret):
        return ()
    return (_signature_account(conf, "ec2authtoken", account.auth_url if account is not None else None),)


def _signature_account(
    conf: cfg.ConfigOpts, section: str, default_url: str | None
) -> tuple[Account, Certificates]:
    url = _credentials(conf, section).auth_url or conf.ec2authtoken.auth_uri or default_url
    if not url:
        raise ConfigError(f"[{section}] auth_url is missing")
    return _account(conf, section, url), Certificates(conf[section].cafile, conf[section].insecure)


def clients(conf: cfg.ConfigOpts) -> dict[str, Client]:
    """The services with settings that differ from [clients], by Heat's names for them. Raises ConfigError."""
    found = {}
    for name in CLIENTS:
        if name != "keystone":
            group = conf[f"clients_{name}"]
            client = Client(
                endpoint_type=interface(group.endpoint_type) if group.endpoint_type else None,
                ca_file=group.ca_file,
                insecure=group.insecure,
                certificate=client_certificate(group, f"clients_{name}"),
                url=group.url if name == "heat" else None,
            )
            if client != Client():
                found[name] = client
    return found


def interface(endpoint_type: str) -> str:
    """The catalog's name of an interface: Heat's options may have `publicURL` for `public`."""
    return endpoint_type.removesuffix("URL")


def client_certificate(group: cfg.ConfigOpts.GroupAttr, section: str) -> tuple[str, str] | None:
    if bool(group.cert_file) != bool(group.key_file):
        raise ConfigError(f"[{section}] cert_file and key_file belong together; one of them is missing")
    return (group.cert_file, group.key_file) if group.cert_file else None


def newest_versions(conf: cfg.ConfigOpts) -> dict[str, str]:
    found = {}
    for name in ("nova", "cinder"):
        version = conf[f"max_{name}_api_microversion"]
        if version and not _MICROVERSION.fullmatch(version):
            raise ConfigError(
                f"[DEFAULT] max_{name}_api_microversion: {version!r} is not a version such as 2.79"
            )
        if version:
            found[name] = version
    return found


def _credentials(conf: cfg.ConfigOpts, section: str) -> cfg.ConfigOpts.GroupAttr:
    """The section with the credentials of `section`, which may refer to another one."""
    group: cfg.ConfigOpts.GroupAttr = conf[conf[section].auth_section or section]
    return group


def _account(conf: cfg.ConfigOpts, section: str, url: str) -> Account:
    group = _credentials(conf, section)
    kind = conf[section].auth_type or group.auth_type or ""
    if kind not in ("", *_BY_PASSWORD, _BY_CREDENTIAL):
        raise ConfigError(
            f"[{section}] auth_type: {kind} is not supported; password and {_BY_CREDENTIAL} are"
        )
    credential = _application_credential(group, section) if kind == _BY_CREDENTIAL else None
    has_user = group.username or group.user_id or (credential is not None and credential.id)
    for name, given in (("username", has_user), ("password", group.password or credential)):
        if not given:
            raise ConfigError(
                f"[{section}] {name} is missing: the identity service is configured without an account"
            )
    # A trust determines the project; a trustee without one is looked up in the service user's.
    scope = conf.keystone_authtoken if section == "trustee" and not group.project_name else group
    return Account(
        auth_url=url,
        username=group.username or "",
        password=group.password or "",
        project=scope.project_name or "service",
        user_domain_id=group.user_domain_id or group.default_domain_id,
        user_domain_name=group.user_domain_name or group.default_domain_name,
        project_domain_id=scope.project_domain_id or scope.default_domain_id,
        project_domain_name=scope.project_domain_name or scope.default_domain_name,
        user_id=group.user_id,
        project_id=scope.project_id,
        application_credential=credential,
    )


def _application_credential(group: cfg.ConfigOpts.GroupAttr, section: str) -> ApplicationCredential:
    if not group.application_credential_secret:
        raise ConfigError(f"[{section}] application_credential_secret is missing")
    if not group.application_credential_id and not group.application_credential_name:
        raise ConfigError(f"[{section}] application_credential_id is missing")
    return ApplicationCredential(
        secret=group.application_credential_secret,
        id=group.application_credential_id,
        name=group.application_credential_name,
    )
