"""Options about who may do what, and in whose name stacks act."""

from __future__ import annotations

from oslo_config import cfg

from calor.config.options.credentials import VERIFYING, credentials

CLIENTS = (
    *("aodh", "barbican", "cinder", "designate", "glance", "heat", "keystone", "magnum", "manila", "mistral"),
    *("neutron", "nova", "octavia", "swift", "trove", "zaqar"),
)
"""The services for which Heat has sections [clients_...]."""

_CLIENT: tuple[cfg.Opt, ...] = (
    cfg.StrOpt(
        "endpoint_type", help="Which of the service's endpoints is used; as [clients] says without it."
    ),
    cfg.StrOpt("ca_file", help="The certificates, in PEM, by which the service is verified."),
    cfg.BoolOpt("insecure", help="Whether the certificate of the service is not verified."),
    cfg.StrOpt("cert_file", help="A certificate, in PEM, that is shown to the service."),
    cfg.StrOpt("key_file", help="The private key of that certificate, in PEM."),
)
_CLIENTS: dict[str, tuple[cfg.Opt, ...]] = {
    f"clients_{name}": _CLIENT for name in CLIENTS if name not in ("heat", "keystone")
}

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
        *credentials("the service user"),
        cfg.StrOpt(
            "www_authenticate_uri",
            deprecated_opts=[cfg.DeprecatedOpt("auth_uri"), cfg.DeprecatedOpt("identity_uri")],
            help="The address of the identity service that clients are told. If only this one is given, the service "
            "user logs in there, too. With neither, the embedded identity service is used.",
        ),
        cfg.IntOpt(
            "token_cache_time",
            default=60,
            min=-1,
            help="For how many seconds a token is believed before it is asked about again. The default of Heat's "
            "middleware is 300.",
        ),
        *VERIFYING,
    ),
    "trustee": credentials("whoever is given the trusts, where that is not the service user,"),
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
        cfg.StrOpt(
            "region_name_for_shared_services", help="The region of services that all regions have in common."
        ),
        cfg.ListOpt(
            "shared_services_types",
            default=["image", "volumev3"],
            help="The types of the services of that region. They have no effect without it.",
        ),
        *(
            cfg.StrOpt(
                f"max_{name}_api_microversion",
                help=f"The newest microversion that {name.capitalize()} is asked for. What needs a newer one cannot be "
                "used.",
            )
            for name in ("nova", "cinder")
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
        cfg.BoolOpt(
            "multi_cloud",
            default=False,
            help="Whether several identity services may have checked a signature.",
        ),
        cfg.ListOpt(
            "clouds",
            default=[],
            help="Their names: the section [ec2authtoken.NAME] has the credentials for each. They are asked in this "
            "order.",
        ),
        *credentials("whoever has signatures checked, where that is not the service user,"),
        *VERIFYING,
    ),
    "clients": (
        cfg.StrOpt(
            "endpoint_type",
            default="publicURL",
            help="Which of a service's endpoints is used: publicURL, internalURL or adminURL.",
        ),
        cfg.StrOpt("ca_file", help="The certificates, in PEM, by which services are verified."),
        cfg.BoolOpt("insecure", default=False, help="Whether certificates of services are not verified."),
        cfg.StrOpt("cert_file", help="A certificate, in PEM, that is shown to services."),
        cfg.StrOpt("key_file", help="The private key of that certificate, in PEM."),
    ),
    **_CLIENTS,
    "clients_heat": (
        *_CLIENT,
        cfg.StrOpt(
            "url",
            help="The orchestration API, as in http://heat.example:8004/v1/%(tenant_id)s, instead of the one in the "
            "catalog.",
        ),
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
