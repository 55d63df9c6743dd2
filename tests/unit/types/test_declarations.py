"""Each declaration says of its type what the reference says, no more and no less."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from calor.clouds.lookups import Lookup
from calor.language import constraints
from calor.language.schema import (
    ANY,
    SUPPORTED,
    Attribute,
    Property,
    Remove,
    Replace,
    Rewrite,
    Support,
    Translation,
)
from calor.resources.contract import ResourceType
from calor.types import catalogue

REFERENCE = Path(__file__).parents[4] / "shared" / "reference" / "resource_types"

# Works here, while the reference knows only its name.
EXEMPT = {"OS::Heat::HARestarter"}

# What is looked up depends on another property.
COMPUTED = "<computed>"

KINDS = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "list",
    dict: "map",
    ANY: "any",
}

FINDERS = {
    "find_flavor_by_name_or_id": "nova.flavor",
    "find_image_by_name_or_id": "glance.image",
    "find_network_ip": "neutron.floatingip",
    "find_network_port": "neutron.port",
    "find_network_segment": "neutron.segment",
    "get_availabilityzoneprofile": "octavia.availabilityzoneprofile",
    "get_cluster_template": "magnum.cluster_template",
    "get_domain_id": "keystone.domain",
    "get_flavor": "octavia.flavor",
    "get_flavorprofile": "octavia.flavorprofile",
    "get_group_id": "keystone.group",
    "get_l7policy": "octavia.l7policy",
    "get_listener": "octavia.listener",
    "get_loadbalancer": "octavia.loadbalancer",
    "get_node": "ironic.node",
    "get_pool": "octavia.pool",
    "get_portgroup": "ironic.portgroup",
    "get_project_id": "keystone.project",
    "get_qos_policy_id": "neutron.qos_policy",
    "get_qos_specs": "cinder.qos_specs",
    "get_region_id": "keystone.region",
    "get_service_id": "keystone.service",
    "get_user_id": "keystone.user",
    "get_volume_type": "cinder.vtype",
}
"""The kind of object that a finder of the reference looks for."""

Facts = dict[str, Any]


def facts_of_support(support: Support) -> Facts:
    facts: Facts = {"status": support.status.value}
    if support.since is not None:
        facts["version"] = support.since
    if support.before is not None:
        facts["previous_status"] = facts_of_support(support.before)
    if support.substitute is not None:
        facts["substitute_class"] = support.substitute.rpartition("::")[2]
    return facts


def facts_of_constraint(constraint: constraints.Constraint) -> Facts:
    match constraint:
        case constraints.Length(_, low, high):
            return {"length": given(min=low, max=high)}
        case constraints.Range(_, low, high):
            return {"range": given(min=low, max=high)}
        case constraints.Modulo(_, step, offset):
            return {"modulo": {"step": step, "offset": offset}}
        case constraints.AllowedValues(_, values):
            return {"allowed_values": list(values)}
        case constraints.AllowedPattern(_, pattern):
            return {"allowed_pattern": pattern}
        case constraints.Custom(_, name):
            return {"custom_constraint": name}
    raise AssertionError(constraint)


def given(**values: Any) -> Facts:
    return {name: value for name, value in values.items() if value is not None}


def facts_of_property(prop: Property) -> Facts:
    facts: Facts = {
        "type": KINDS[prop.kind],
        "required": prop.required,
        "update_allowed": prop.update_allowed,
        "immutable": prop.immutable,
    }
    if prop.default is not None:
        facts["default"] = prop.default
    if prop.constraints:
        facts["constraints"] = [facts_of_constraint(constraint) for constraint in prop.constraints]
    if not prop.implemented:
        facts["implemented"] = False
    if prop.converts:
        facts["allow_conversion"] = True
    if prop.support != SUPPORTED:
        facts["support_status"] = facts_of_support(prop.support)
    if prop.items is not None:
        facts["schema"] = {"*": facts_of_property(prop.items)}
    if prop.fields is not None:
        facts["schema"] = facts_of_properties(prop.fields)
    return facts


def facts_of_properties(properties: Mapping[str, Property]) -> Facts:
    return {name: facts_of_property(prop) for name, prop in properties.items()}


def facts_of_attribute(attribute: Attribute) -> Facts:
    facts: Facts = {}
    if attribute.kind is not None:
        facts["type"] = KINDS[attribute.kind]
    if attribute.live:
        facts["cache_mode"] = "cache_none"
    if attribute.support != SUPPORTED:
        facts["support_status"] = facts_of_support(attribute.support)
    return facts


def facts_of_translation(rule: Translation) -> Facts:
    path = list(rule.path)
    if isinstance(rule, Remove):
        return {"rule": "Delete", "path": path}
    if isinstance(rule, Replace):
        return given(
            rule="Replace",
            path=path,
            value_path=list(rule.source) if rule.source else None,
            value_name=rule.sibling,
            custom_value_path=list(rule.inside) if rule.inside else None,
        )
    return given(rule="Resolve", path=path, kind=rule.kind)


def with_kind(rule: Facts) -> Facts:
    """What the reference says of a rule, in the terms of declarations."""
    entity, finder = rule.get("entity"), rule["finder"]
    if entity is not None:
        kind = f"neutron.taas.{entity}" if entity.startswith("tap_") else f"neutron.{entity}"
    else:
        kind = FINDERS[finder]
    return given(rule="Resolve", path=rule["path"], kind=None if entity == COMPUTED else kind)


def facts_of_type(declared: type[ResourceType]) -> Facts:
    facts: Facts = {
        "resource_type": declared.type_name,
        "support_status": facts_of_support(declared.support),
        "properties": facts_of_properties(declared.properties),
        "attributes": {name: facts_of_attribute(each) for name, each in declared.attributes.items()},
    }
    optional = {
        "client": declared.service,
        "required_service_extension": declared.extension,
        "provided_by_template": declared.template_file,
        "traits": ["nested_stack"] if declared.nested_stack else [],
        "update_policy": facts_of_properties(declared.update_policy),
        # What is rewritten depends on values, which the facts do not show.
        "translation_rules": [
            facts_of_translation(rule) for rule in declared.translations if not isinstance(rule, Rewrite)
        ],
    }
    facts.update({name: value for name, value in optional.items() if value})
    if declared.name_limit != ResourceType.name_limit:
        facts["physical_resource_name_limit"] = declared.name_limit
    return facts


def lines(value: Any, path: str = "", ordered: bool = False) -> Iterator[str]:
    """Writes facts as text: exact about types (1 is not true) and about the order of properties alone."""
    if isinstance(value, dict) and value:
        for name in value if ordered else sorted(value):
            inside = name in ("properties", "attributes", "update_policy", "schema") and not ordered
            yield from lines(value[name], f"{path}/{name}", inside)
    else:
        yield f"{path} = {json.dumps(value, sort_keys=True)}"


HOOKS = ("handlers", "entity", "requires_deferred_auth", "always_replace_on_check_failed")
"""What the reference tells of how Heat does it; here hooks do."""
HOOK_TRAITS = ("signal_responder", "creates_stack_user")


def reference() -> list[Path]:
    return sorted(REFERENCE.glob("*.json"))


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference is not part of the repository")
@pytest.mark.parametrize("file", reference(), ids=lambda file: file.stem)
def test_declaration_equals_reference(file: Path) -> None:
    facts = json.loads(file.read_text())
    if facts["resource_type"] in EXEMPT:
        pytest.skip("differs on purpose")
    for hook in HOOKS:
        facts.pop(hook, None)
    facts["traits"] = [trait for trait in facts.get("traits", ()) if trait not in HOOK_TRAITS]
    if not facts["traits"]:
        del facts["traits"]
    rules = facts.get("translation_rules", [])
    facts["translation_rules"] = [with_kind(rule) if rule["rule"] == "Resolve" else rule for rule in rules]
    if not rules:
        del facts["translation_rules"]

    declared = catalogue.declaration(facts["resource_type"])

    assert declared is not None
    assert list(lines(facts_of_type(declared))) == list(lines(facts))


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference is not part of the repository")
def test_types_take_signals_where_the_reference_has_it() -> None:
    expected = {
        facts["resource_type"]
        for facts in (json.loads(file.read_text()) for file in reference())
        if "signal_responder" in facts.get("traits", ())
    }
    declared = {name: catalogue.declaration(name) for name in catalogue.built_in_names()}
    taking = {name for name, each in declared.items() if each is not None and each.signal is not None}
    made = {name for name, each in declared.items() if each is not None and each.can_create()}

    # A signal is all that a restarter is for; Heat handles it outside of its signal responders.
    assert taking - {"OS::Heat::HARestarter"} == expected & made


def test_built_in_names() -> None:
    assert len(catalogue.built_in_names()) >= 203
    assert set(catalogue.built_in_names()) <= set(catalogue.names())


def test_lookups_follow_from_declarations() -> None:
    declared = catalogue.lookup("neutron.address_scope")

    assert declared == Lookup("network", ("address-scopes",), "address_scopes", "address scope")
    assert "neutron.address_scope" in catalogue.constraint_names()
    assert catalogue.lookup("nova.server") is None
    assert catalogue.lookup("no.such") is None


@pytest.mark.parametrize("name", sorted(catalogue.built_in_names()))
def test_a_type_is_found_by_the_name_of_its_file(name: str) -> None:
    declared = catalogue.declaration(name)

    assert declared is not None
    assert declared.type_name == name


@pytest.mark.parametrize("name", sorted(catalogue.built_in_names()))
def test_a_type_is_in_the_folder_of_its_service(name: str) -> None:
    declared = catalogue.declaration(name)

    assert declared is not None
    folder = ".".join(part.lower() for part in name.split("::")[:-1] if part != "OS")
    assert declared.__module__.startswith(f"calor.types.{folder}.")


def test_every_declared_type_is_built_in() -> None:
    """A file whose name is not that of its type would be overlooked."""
    folder = Path(catalogue.__file__).parent
    for file in folder.rglob("*.py"):
        for name in re.findall(r"type_name = \W*(\w+::[\w:]+)", file.read_text("utf-8")):
            assert catalogue.declaration(name) is not None, file


def test_unknown_type() -> None:
    assert catalogue.declaration("OS::Nowhere::Thing") is None


def test_aliases_lead_to_types() -> None:
    for target in catalogue.ALIASES.values():
        assert any(name.startswith(target.removesuffix("*")) for name in catalogue.built_in_names())


def test_substitutes_are_types() -> None:
    for name in catalogue.built_in_names():
        declared = catalogue.declaration(name)
        support = declared.support if declared else None
        while support is not None:
            assert support.substitute is None or support.substitute in catalogue.built_in_names()
            support = support.before


def test_catalogue_is_cheap_to_import() -> None:
    script = "import sys, calor.types.catalogue; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    modules = loaded.stdout.split()
    assert [name for name in modules if name.startswith("calor.types.")] == ["calor.types.catalogue"]
    assert "importlib.metadata" not in modules
