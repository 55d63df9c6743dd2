"""Options about who may do what, and in whose name stacks act."""

from __future__ import annotations

from oslo_config import cfg


def _account(what: str) -> tuple[cfg.Opt, ...]:
    return (
        cfg.StrOpt("auth_url", help=f"The identity service at which {what} logs in."),
        cfg.StrOpt(
            "username",
            deprecated_opts=[cfg.DeprecatedOpt("user_name"), cfg.DeprecatedOpt("admin_user")],
            help=f"The name of {what}.",
        ),
        cfg.StrOpt(
            "password",
            secret=True,
            deprecated_opts=[cfg.DeprecatedOpt("admin_password")],
            help=f"The password of {what}.",
        ),
        cfg.StrOpt("user_domain_id", help=f"The id of the domain of {what}."),
        cfg.StrOpt("user_domain_name", help="The name of that domain, if the id is not given."),
    )


_VERIFYING: tuple[cfg.Opt, ...] = (
    cfg.BoolOpt("insecure", default=False, help="Whether certificates are believed unseen."),
)

OPTIONS: dict[str, tuple[cfg.Opt, ...]] = {
    "paste_deploy": (
        cfg.StrOpt(
            "flavor",
            default="keystone",
            choices=["", "keystone", "standalone", "custombackend"],
            help="How callers prove who they are: by a token (keystone), by a name and a password in the headers "
            "X-Auth-User and X-Auth-Key (standalone), or as a plug-in decides (custombackend).",
        ),
    ),
    "calor": (
        cfg.StrOpt(
            "auth_backend",
            help="The plug-in for custombackend, by its name in the entry point group calor.auth_backends. Not needed "
            "if one alone is installed. The section [custombackend] is passed to it. An option of Calor's own.",
        ),
    ),
    "keystone_authtoken": (
        *_account("the service user"),
        cfg.StrOpt(
            "www_authenticate_uri",
            deprecated_opts=[cfg.DeprecatedOpt("auth_uri"), cfg.DeprecatedOpt("identity_uri")],
            help="The address of the identity service that clients are told. If only this one is given, the service "
            "user logs in there, too. With neither, the embedded identity service is used.",
        ),
        cfg.StrOpt(
            "project_name",
            default="service",
            deprecated_opts=[cfg.DeprecatedOpt("tenant_name"), cfg.DeprecatedOpt("admin_tenant_name")],
            help="The project in which the service user has its roles.",
        ),
        cfg.StrOpt("project_domain_id", help="The id of the domain of that project."),
        cfg.StrOpt("project_domain_name", help="The name of that domain, if the id is not given."),
        cfg.StrOpt("cafile", help="The certificates, in PEM, by which the identity service is believed."),
        cfg.IntOpt(
            "token_cache_time",
            default=60,
            min=-1,
            help="For how many seconds a token is believed before it is asked about again. The default of Heat's "
            "middleware is 300.",
        ),
        *_VERIFYING,
    ),
    "trustee": _account("whoever is given the trusts, where that is not the service user,"),
    "DEFAULT": (
        cfg.ListOpt(
            "trusts_delegated_roles",
            default=[],
            help="The roles that users pass on to Calor for their stacks; all they have if there are none here.",
        ),
        cfg.StrOpt(
            "stack_user_domain_id",
            deprecated_opts=[cfg.DeprecatedOpt("stack_user_domain")],
            help="The id of the domain in which the users of stacks live.",
        ),
        cfg.StrOpt(
            "stack_user_domain_name",
            default="heat",
            help="The name of that domain, if its id is not given. It is made if there is none and no admin for it is "
            "configured.",
        ),
        cfg.StrOpt("stack_domain_admin", help="A user who may make users and projects in that domain."),
        cfg.StrOpt("stack_domain_admin_password", secret=True, help="The password of that user."),
        cfg.StrOpt(
            "heat_stack_user_role", default="heat_stack_user", help="The role that users of stacks are given."
        ),
        cfg.StrOpt(
            "region_name_for_services", help="The region whose services stacks use when they do not say."
        ),
    ),
    "auth_password": (
        cfg.BoolOpt(
            "multi_cloud",
            default=False,
            help="Whether the header X-Auth-Url says which cloud knows the caller.",
        ),
        cfg.ListOpt("allowed_auth_uris", default=[], help="The identity services that X-Auth-Url may name."),
    ),
    "ec2authtoken": (
        cfg.StrOpt(
            "auth_uri", help="The identity service that checks signatures, where that is another one."
        ),
    ),
    "clients": (
        cfg.StrOpt(
            "endpoint_type",
            default="publicURL",
            help="Which of a service's endpoints is used: publicURL, internalURL or adminURL.",
        ),
        cfg.StrOpt("ca_file", help="The certificates, in PEM, by which services are believed."),
        *_VERIFYING,
    ),
    "clients_keystone": (
        cfg.StrOpt(
            "auth_uri", help="Where servers of stacks reach the identity service, where that is elsewhere."
        ),
    ),
    "oslo_policy": (
        cfg.StrOpt(
            "policy_file",
            default="policy.yaml",
            help="A file with rules that replace the default ones. A relative path starts at the directory of the "
            "first configuration file.",
        ),
        cfg.MultiStrOpt("policy_dirs", default=["policy.d"], help="Directories with more such files."),
    ),
}
