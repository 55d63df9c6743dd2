"""Options about authentication, policy, and access to the services."""

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
        "endpoint_type", help="Which of the service's endpoints to use. Defaults to that of [clients]."
    ),
    cfg.StrOpt("ca_file", help="A PEM file of CA certificates with which to verify the service."),
    cfg.BoolOpt("insecure", help="Whether to skip verifying the service's certificate."),
    cfg.StrOpt("cert_file", help="A PEM file with a client certificate for the service."),
    cfg.StrOpt("key_file", help="A PEM file with the private key of the client certificate."),
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
            help="How requests are authenticated: by a token (keystone), by a user name and password in the headers "
            "X-Auth-User and X-Auth-Key (standalone), or by a plug-in (custombackend).",
        ),
    ),
    "calor": (
        cfg.StrOpt(
            "auth_backend",
            help="The plug-in for custombackend: its name in the entry point group calor.auth_backends. Not needed if "
            "only one is installed. It is given the section [custombackend]. Calor only.",
        ),
    ),
    "keystone_authtoken": (
        *credentials("the service user"),
        cfg.StrOpt(
            "www_authenticate_uri",
            deprecated_opts=[cfg.DeprecatedOpt("auth_uri"), cfg.DeprecatedOpt("identity_uri")],
            help="The address of the identity service for clients. Without auth_url, the service user logs in there, "
            "too. Without either, the embedded identity service is used.",
        ),
        cfg.IntOpt(
            "token_cache_time",
            default=60,
            min=-1,
            help="For how many seconds a validated token is cached. The default of Heat's middleware is 300.",
        ),
        *VERIFYING,
    ),
    "trustee": credentials("the trustee of the stack owners' trusts, if that is not the service user,"),
    "DEFAULT": (
        cfg.ListOpt(
            "trusts_delegated_roles",
            default=[],
            help="The roles that users delegate to Calor for their stacks. If empty, all of a user's roles.",
        ),
        cfg.StrOpt(
            "stack_user_domain_id",
            deprecated_opts=[cfg.DeprecatedOpt("stack_user_domain")],
            help="The id of the domain of stacks' users.",
        ),
        cfg.StrOpt(
            "stack_user_domain_name",
            default="heat",
            help="The name of that domain, if its id is not given. It is created if it does not exist and no "
            "stack_domain_admin is configured.",
        ),
        cfg.StrOpt("stack_domain_admin", help="A user who may create users and projects in that domain."),
        cfg.StrOpt("stack_domain_admin_password", secret=True, help="The password of that user."),
        cfg.StrOpt("heat_stack_user_role", default="heat_stack_user", help="The role of stacks' users."),
        cfg.StrOpt("region_name_for_services", help="The region whose services stacks use by default."),
        cfg.StrOpt("region_name_for_shared_services", help="The region of services that all regions share."),
        cfg.ListOpt(
            "shared_services_types",
            default=["image", "volumev3"],
            help="The types of the shared services. Has no effect without region_name_for_shared_services.",
        ),
        *(
            cfg.StrOpt(
                f"max_{name}_api_microversion",
                help=f"The newest microversion of {name.capitalize()} to use. Features that need a newer one are "
                "unavailable.",
            )
            for name in ("nova", "cinder")
        ),
    ),
    "auth_password": (
        cfg.BoolOpt(
            "multi_cloud",
            default=False,
            help="Whether the header X-Auth-Url chooses the cloud that authenticates a request.",
        ),
        cfg.ListOpt("allowed_auth_uris", default=[], help="The identity services that X-Auth-Url may name."),
    ),
    "ec2authtoken": (
        cfg.StrOpt("auth_uri", help="The identity service that verifies signatures, if that is another one."),
        cfg.BoolOpt(
            "multi_cloud",
            default=False,
            help="Whether signatures are verified by several identity services.",
        ),
        cfg.ListOpt(
            "clouds",
            default=[],
            help="The names of those identity services, tried in this order. The section [ec2authtoken.NAME] has the "
            "credentials for each.",
        ),
        *credentials("the account that verifies signatures, if that is not the service user,"),
        *VERIFYING,
    ),
    "clients": (
        cfg.StrOpt(
            "endpoint_type",
            default="publicURL",
            help="Which of a service's endpoints to use: publicURL, internalURL or adminURL.",
        ),
        cfg.StrOpt("ca_file", help="A PEM file of CA certificates with which to verify services."),
        cfg.BoolOpt("insecure", default=False, help="Whether to skip verifying services' certificates."),
        cfg.StrOpt("cert_file", help="A PEM file with a client certificate for services."),
        cfg.StrOpt("key_file", help="A PEM file with the private key of the client certificate."),
    ),
    **_CLIENTS,
    "clients_heat": (
        *_CLIENT,
        cfg.StrOpt(
            "url",
            help="The URL of the orchestration API, such as http://heat.example:8004/v1/%(tenant_id)s, instead of the "
            "catalog's.",
        ),
    ),
    "clients_keystone": (
        cfg.StrOpt(
            "auth_uri", help="Where stacks' servers reach the identity service, if that is elsewhere."
        ),
    ),
    "oslo_policy": (
        cfg.StrOpt(
            "policy_file",
            default="policy.yaml",
            help="A file with rules that override the default ones. A relative path is relative to the directory of "
            "the first configuration file.",
        ),
        cfg.MultiStrOpt("policy_dirs", default=["policy.d"], help="Directories with more such files."),
    ),
}
