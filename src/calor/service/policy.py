"""The policy: oslo.policy with the names of Heat's rules, so that existing policy files work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from calor.service.caller import Caller
from calor.service.errors import Forbidden, UnusableType

_PROJECT = "project_id:%(project_id)s"
_TYPES = "resource_types:"
_BASE = {
    "context_is_admin": "(role:admin and is_admin_project:True)",
    "project_admin": f"role:admin and {_PROJECT}",
    "project_member": f"role:member and {_PROJECT}",
    "project_reader": f"role:reader and {_PROJECT}",
    "project_member_or_stack_user": (
        f"(role:member and {_PROJECT}) or (role:heat_stack_user and {_PROJECT})"
    ),
    "project_reader_or_stack_user": (
        f"(role:reader and {_PROJECT}) or (role:heat_stack_user and {_PROJECT})"
    ),
    "deny_everybody": "!",
}
_READER = (
    "stacks:index",
    "stacks:detail",
    "stacks:show",
    "stacks:template",
    "stacks:environment",
    "stacks:files",
    "stacks:list_outputs",
    "stacks:show_output",
    "stacks:list_snapshots",
    "stacks:show_snapshot",
    "stacks:preview",
    "stacks:list_resource_types",
    "stacks:resource_schema",
    "stacks:generate_template",
    "stacks:list_template_versions",
    "stacks:list_template_functions",
    "resource:index",
    "resource:show",
    "events:index",
    "events:show",
    "software_configs:index",
    "software_configs:show",
    "software_deployments:index",
    "software_deployments:show",
    "build_info:build_info",
    "cloudformation:ListStacks",
    "cloudformation:DescribeStacks",
    "cloudformation:DescribeStackEvents",
    "cloudformation:ValidateTemplate",
    "cloudformation:GetTemplate",
    "cloudformation:EstimateTemplateCost",
    "cloudformation:DescribeStackResources",
    "cloudformation:ListStackResources",
)
_MEMBER = (
    "stacks:create",
    "stacks:update",
    "stacks:update_patch",
    "stacks:preview_update",
    "stacks:preview_update_patch",
    "stacks:delete",
    "stacks:abandon",
    "stacks:export",
    "stacks:validate_template",
    "stacks:snapshot",
    "stacks:delete_snapshot",
    "stacks:restore_snapshot",
    "actions:action",
    "actions:snapshot",
    "actions:check",
    "actions:suspend",
    "actions:resume",
    "actions:cancel_update",
    "actions:cancel_without_rollback",
    "resource:mark_unhealthy",
    "software_configs:create",
    "software_configs:delete",
    "software_deployments:create",
    "software_deployments:update",
    "software_deployments:delete",
    "cloudformation:CreateStack",
    "cloudformation:UpdateStack",
    "cloudformation:DeleteStack",
    "cloudformation:CancelUpdateStack",
)
_STACK_USER = {
    "stacks:lookup": "rule:project_reader_or_stack_user",
    "resource:metadata": "rule:project_reader_or_stack_user",
    "resource:signal": "rule:project_member_or_stack_user",
    "software_deployments:metadata": "rule:project_reader_or_stack_user",
    "cloudformation:DescribeStackResource": "rule:project_reader_or_stack_user",
}
_SPECIAL = {
    "stacks:global_index": "rule:deny_everybody",
    "software_configs:global_index": "rule:deny_everybody",
    "stacks:update_no_change": "rule:stacks:update_patch",
    "actions:retry": "rule:stacks:update",
    "service:index": "role:admin",
}
ADMIN_TYPES = (
    "OS::Nova::Flavor",
    "OS::Nova::Quota",
    "OS::Nova::HostAggregate",
    "OS::Cinder::EncryptedVolumeType",
    "OS::Cinder::VolumeType",
    "OS::Cinder::Quota",
    "OS::Cinder::QoSSpecs",
    "OS::Cinder::QoSAssociation",
    "OS::Neutron::Quota",
    "OS::Neutron::ProviderNet",
    "OS::Neutron::QoSPolicy",
    "OS::Neutron::QoSBandwidthLimitRule",
    "OS::Neutron::QoSDscpMarkingRule",
    "OS::Neutron::QoSMinimumBandwidthRule",
    "OS::Neutron::QoSMinimumPacketRateRule",
    "OS::Neutron::Segment",
    "OS::Octavia::Quota",
    "OS::Octavia::Flavor",
    "OS::Octavia::FlavorProfile",
    "OS::Octavia::AvailabilityZone",
    "OS::Octavia::AvailabilityZoneProfile",
    "OS::Manila::ShareType",
    "OS::Blazar::Host",
    "OS::Keystone::*",
)
"""Types that only admins may use unless a policy file permits others."""

DEFAULTS: dict[str, str] = {
    **_BASE,
    **dict.fromkeys(_READER, "rule:project_reader"),
    **dict.fromkeys(_MEMBER, "rule:project_member"),
    **_STACK_USER,
    **_SPECIAL,
    **{f"{_TYPES}{name}": "rule:project_admin" for name in ADMIN_TYPES},
}


class PolicyUnusable(Exception):
    """A policy file is invalid."""


class Policy:
    """The rules. A policy file overrides the defaults, and is reloaded when it changes."""

    def __init__(self, policy_file: str | None = None, policy_dirs: Sequence[str] = ()) -> None:
        """Raises PolicyUnusable."""
        # Slow to import, and not needed by every importer of the API.
        from oslo_config import cfg
        from oslo_policy import policy

        self._decide: Callable[[str, Credentials], bool]
        conf = cfg.ConfigOpts()
        conf([], project="calor", default_config_files=[], default_config_dirs=[])
        if policy_file is None and not policy_dirs:
            rules = policy.Rules.from_dict(DEFAULTS)
            self._enforcer = policy.Enforcer(conf, rules=rules, use_conf=False)
            # Unlike the rules of files, which oslo.policy reloads, these never change.
            self._decide = lru_cache(maxsize=4096)(self._check)
            return
        self._decide = self._check
        self._enforcer = policy.Enforcer(conf, policy_file=policy_file)
        conf.set_override("policy_dirs", list(policy_dirs), group="oslo_policy")
        self._enforcer.register_defaults([policy.RuleDefault(name, rule) for name, rule in DEFAULTS.items()])
        try:
            self._enforcer.load_rules()
        except Exception as error:
            # oslo.policy raises various exceptions for invalid files.
            where = ", ".join([*([policy_file] if policy_file else []), *policy_dirs])
            raise PolicyUnusable(f"{where} cannot be used: {error}") from None

    def allows(self, caller: Caller, rule: str) -> bool:
        return self._decide(rule, _credentials(caller))

    def enforce(self, caller: Caller, rule: str) -> None:
        """Raises Forbidden."""
        if not self.allows(caller, rule):
            raise Forbidden

    def is_admin(self, roles: Sequence[str], *, is_admin_project: bool = True) -> bool:
        """Whether a user with these roles is an admin of the cloud."""
        return self._decide("context_is_admin", Credentials(tuple(roles), is_admin_project))

    def allows_type(self, caller: Caller, type_name: str) -> bool:
        """Whether the caller may use a resource type: neither its rule nor its service's rule forbids it."""
        service = type_name.rpartition("::")[0] + "::*"
        rules = (f"{_TYPES}{name}" for name in (type_name, service))
        return all(self.allows(caller, rule) for rule in rules if rule in self._enforcer.rules)

    def types_denied(self, caller: Caller) -> list[str]:
        """The types that a caller may not use, as named by the rules; a star stands for all types of a service."""
        rules = sorted(rule for rule in self._enforcer.rules if rule.startswith(_TYPES))
        return [rule.removeprefix(_TYPES) for rule in rules if not self.allows(caller, rule)]

    def enforce_types(self, caller: Caller, type_names: Iterable[str]) -> None:
        """Raises UnusableType if the caller may not use one of the types."""
        for name in dict.fromkeys(type_names):
            if not self.allows_type(caller, name):
                message = f"You are not authorized to use the resource type {name}."
                raise UnusableType("Forbidden", message, name)

    def _check(self, rule: str, credentials: Credentials) -> bool:
        target = {"project_id": credentials.project_id}
        given: dict[str, object] = {"is_admin_project": credentials.is_admin_project}
        if credentials.project_id is not None:
            given = credentials._asdict()
        return bool(self._enforcer.enforce(rule, target, {**given, "roles": list(credentials.roles)}))


class Credentials(NamedTuple):
    """The credentials that rules can refer to."""

    roles: tuple[str, ...]
    is_admin_project: bool
    project_id: str | None = None
    user_id: str | None = None
    user_domain_id: str | None = None
    trust_id: str | None = None


def _credentials(caller: Caller) -> Credentials:
    # An admin acts in the project of the path, so rules about the project apply to that one.
    return Credentials(
        roles=caller.roles,
        is_admin_project=caller.is_admin,
        project_id=caller.project,
        user_id=caller.user_id,
        user_domain_id=caller.user_domain,
        trust_id=caller.trust_id,
    )
