"""Who may do what: oslo.policy with the names of Heat's rules, so that existing policy files work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from calor.service.caller import Caller
from calor.service.errors import Forbidden

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
"""Types that only admins may use unless a policy file says otherwise."""

DEFAULTS: dict[str, str] = {
    **_BASE,
    **dict.fromkeys(_READER, "rule:project_reader"),
    **dict.fromkeys(_MEMBER, "rule:project_member"),
    **_STACK_USER,
    **_SPECIAL,
    **{f"{_TYPES}{name}": "rule:project_admin" for name in ADMIN_TYPES},
}


class PolicyUnusable(Exception):
    """A policy file has no rules in it that can be understood."""


class Policy:
    """The rules. A policy file, if there is one, overrides the defaults; its changes are noticed."""

    def __init__(self, policy_file: str | None = None, policy_dirs: Sequence[str] = ()) -> None:
        """Raises PolicyUnusable."""
        # Slow to import, and not everything that imports the API serves it.
        from oslo_config import cfg
        from oslo_policy import policy

        conf = cfg.ConfigOpts()
        conf([], project="calor", default_config_files=[], default_config_dirs=[])
        if policy_file is None and not policy_dirs:
            rules = policy.Rules.from_dict(DEFAULTS)
            self._enforcer = policy.Enforcer(conf, rules=rules, use_conf=False)
            return
        self._enforcer = policy.Enforcer(conf, policy_file=policy_file)
        conf.set_override("policy_dirs", list(policy_dirs), group="oslo_policy")
        self._enforcer.register_defaults([policy.RuleDefault(name, rule) for name, rule in DEFAULTS.items()])
        try:
            self._enforcer.load_rules()
        except Exception as error:
            # Whatever text may be in a file, oslo.policy has an exception of some kind for it.
            where = ", ".join([*([policy_file] if policy_file else []), *policy_dirs])
            raise PolicyUnusable(f"{where} cannot be used: {error}") from None

    def allows(self, caller: Caller, rule: str) -> bool:
        return self._check(rule, _credentials(caller))

    def enforce(self, caller: Caller, rule: str) -> None:
        """Raises Forbidden."""
        if not self.allows(caller, rule):
            raise Forbidden

    def is_admin(self, roles: Sequence[str], *, is_admin_project: bool = True) -> bool:
        """Whether someone with these roles is an admin of the cloud."""
        return self._check("context_is_admin", {"roles": list(roles), "is_admin_project": is_admin_project})

    def allows_type(self, caller: Caller, type_name: str) -> bool:
        """Whether someone may use a resource type: neither its own rule nor its service's forbids it."""
        service = type_name.rpartition("::")[0] + "::*"
        rules = (f"{_TYPES}{name}" for name in (type_name, service))
        return all(self.allows(caller, rule) for rule in rules if rule in self._enforcer.rules)

    def types_denied(self, caller: Caller) -> list[str]:
        """The types that a caller may not use, as the rules name them: a star stands for all of a service."""
        rules = sorted(rule for rule in self._enforcer.rules if rule.startswith(_TYPES))
        return [rule.removeprefix(_TYPES) for rule in rules if not self.allows(caller, rule)]

    def enforce_types(self, caller: Caller, type_names: Iterable[str]) -> None:
        """Raises Forbidden if there is a type among them that the caller may not use."""
        for name in dict.fromkeys(type_names):
            if not self.allows_type(caller, name):
                raise Forbidden(f"You are not authorized to use the resource type {name}.")

    def _check(self, rule: str, credentials: dict[str, Any]) -> bool:
        target = {"project_id": credentials.get("project_id")}
        return bool(self._enforcer.enforce(rule, target, credentials))


def _credentials(caller: Caller) -> dict[str, Any]:
    # An admin acts in the project of the path, so that is the project whose rules apply.
    return {
        "roles": list(caller.roles),
        "project_id": caller.project,
        "user_id": caller.user_id,
        "user_domain_id": caller.user_domain,
        "is_admin_project": caller.is_admin,
        "trust_id": caller.trust_id,
    }
