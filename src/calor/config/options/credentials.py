"""Options by which somebody logs in at an identity service."""

from __future__ import annotations

from oslo_config import cfg

SECTIONS = ("keystone_authtoken", "trustee", "ec2authtoken")
"""Sections with credentials, each of which may name another section that has them instead."""


def credentials(who: str) -> tuple[cfg.Opt, ...]:
    return (
        cfg.StrOpt(
            "auth_type",
            deprecated_opts=[cfg.DeprecatedOpt("auth_plugin")],
            help=f"How {who} logs in: password, or v3applicationcredential.",
        ),
        cfg.StrOpt("auth_section", help="Another section that has these options instead of this one."),
        cfg.StrOpt("auth_url", help=f"The identity service at which {who} logs in."),
        cfg.StrOpt(
            "username",
            deprecated_opts=[cfg.DeprecatedOpt("user_name"), cfg.DeprecatedOpt("admin_user")],
            help=f"The name of {who}.",
        ),
        cfg.StrOpt("user_id", help="The id of that user, instead of a name and a domain."),
        cfg.StrOpt(
            "password",
            secret=True,
            deprecated_opts=[cfg.DeprecatedOpt("admin_password")],
            help=f"The password of {who}.",
        ),
        cfg.StrOpt("user_domain_id", help=f"The id of the domain of {who}."),
        cfg.StrOpt("user_domain_name", help="The name of that domain, if the id is not given."),
        cfg.StrOpt(
            "project_name",
            deprecated_opts=[cfg.DeprecatedOpt("tenant_name"), cfg.DeprecatedOpt("admin_tenant_name")],
            help=f"The project in which {who} has roles; service if none is named.",
        ),
        cfg.StrOpt(
            "project_id",
            deprecated_opts=[cfg.DeprecatedOpt("tenant_id")],
            help="The id of that project, instead of a name and a domain.",
        ),
        cfg.StrOpt("project_domain_id", help="The id of the domain of that project."),
        cfg.StrOpt("project_domain_name", help="The name of that domain, if the id is not given."),
        cfg.StrOpt("default_domain_id", help="The id of the domain of both, where nothing else is said."),
        cfg.StrOpt("default_domain_name", help="The name of the domain of both."),
        cfg.StrOpt(
            "application_credential_id", help="The id of the application credential, with its secret."
        ),
        cfg.StrOpt("application_credential_name", help="Its name, with its user, instead of the id."),
        cfg.StrOpt("application_credential_secret", secret=True, help="Its secret."),
    )


VERIFYING: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("cafile", help="The certificates, in PEM, by which the identity service is verified."),
    cfg.BoolOpt("insecure", default=False, help="Whether certificates are not verified."),
)


def borrowed(conf: cfg.ConfigOpts) -> dict[str, tuple[cfg.Opt, ...]]:
    """The options of sections that others name: by `auth_section`, and those of the clouds whose keys sign requests."""
    clouds = (f"ec2authtoken.{name}" for name in conf.ec2authtoken.clouds)
    named = {section: (*credentials("the service user"), *VERIFYING) for section in clouds}
    for section in SECTIONS:
        other = conf[section].auth_section
        if other and other not in (*SECTIONS, *named):
            named[other] = credentials("the service user")
    return named
