"""Options with credentials for an identity service."""

from __future__ import annotations

from oslo_config import cfg

SECTIONS = ("keystone_authtoken", "trustee", "ec2authtoken")
"""Sections with credentials, each of which may refer to another section instead."""


def credentials(who: str) -> tuple[cfg.Opt, ...]:
    return (
        cfg.StrOpt(
            "auth_type",
            deprecated_opts=[cfg.DeprecatedOpt("auth_plugin")],
            help=f"How {who} authenticates: password or v3applicationcredential.",
        ),
        cfg.StrOpt("auth_section", help="Another section to read these options from."),
        cfg.StrOpt("auth_url", help=f"The identity service where {who} authenticates."),
        cfg.StrOpt(
            "username",
            deprecated_opts=[cfg.DeprecatedOpt("user_name"), cfg.DeprecatedOpt("admin_user")],
            help=f"The name of {who}.",
        ),
        cfg.StrOpt("user_id", help="The id of that user, instead of its name and domain."),
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
            help=f"The project in which {who} has roles. Defaults to service.",
        ),
        cfg.StrOpt(
            "project_id",
            deprecated_opts=[cfg.DeprecatedOpt("tenant_id")],
            help="The id of that project, instead of its name and domain.",
        ),
        cfg.StrOpt("project_domain_id", help="The id of the domain of that project."),
        cfg.StrOpt("project_domain_name", help="The name of that domain, if the id is not given."),
        cfg.StrOpt(
            "default_domain_id",
            help="The id of the domain of both user and project, if not given separately.",
        ),
        cfg.StrOpt("default_domain_name", help="The name of that domain."),
        cfg.StrOpt(
            "application_credential_id", help="The id of the application credential, with its secret."
        ),
        cfg.StrOpt("application_credential_name", help="Its name, with its user, instead of the id."),
        cfg.StrOpt("application_credential_secret", secret=True, help="Its secret."),
    )


VERIFYING: tuple[cfg.Opt, ...] = (
    cfg.StrOpt("cafile", help="A PEM file of CA certificates with which to verify the identity service."),
    cfg.BoolOpt("insecure", default=False, help="Whether to skip verifying certificates."),
)


def referenced_sections(conf: cfg.ConfigOpts) -> dict[str, tuple[cfg.Opt, ...]]:
    """The options of sections that others refer to: by `auth_section`, and by the `clouds` of [ec2authtoken]."""
    clouds = (f"ec2authtoken.{name}" for name in conf.ec2authtoken.clouds)
    found = {section: (*credentials("the service user"), *VERIFYING) for section in clouds}
    for section in SECTIONS:
        other = conf[section].auth_section
        if other and other not in (*SECTIONS, *found):
            found[other] = credentials("the service user")
    return found
