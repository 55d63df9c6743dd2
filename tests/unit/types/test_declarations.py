"""Each declaration says of its type what the reference says, no more and no less."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from calor.language import constraints
from calor.language.schema import (
    ANY,
    SUPPORTED,
    Attribute,
    Property,
    Remove,
    Replace,
    ResourceType,
    Rewrite,
    Support,
    Translation,
)
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
    return given(rule="Resolve", path=path, finder=rule.finder, entity=rule.entity)


def facts_of_type(declared: type[ResourceType]) -> Facts:
    facts: Facts = {
        "resource_type": declared.type_name,
        "support_status": facts_of_support(declared.support),
        "properties": facts_of_properties(declared.properties),
        "attributes": {name: facts_of_attribute(each) for name, each in declared.attributes.items()},
    }
    traits = {
        "nested_stack": declared.nested_stack,
        "signal_responder": declared.takes_signals,
        "creates_stack_user": declared.owns_user,
    }
    optional = {
        "client": declared.service,
        "required_service_extension": declared.extension,
        "entity": declared.entity,
        "provided_by_template": declared.template_file,
        "requires_deferred_auth": declared.deferred_auth,
        "traits": [name for name, present in traits.items() if present],
        "update_policy": facts_of_properties(declared.update_policy),
        # What is rewritten depends on values, which the facts do not show.
        "translation_rules": [
            facts_of_translation(rule) for rule in declared.translations if not isinstance(rule, Rewrite)
        ],
    }
    facts.update({name: value for name, value in optional.items() if value})
    if declared.name_limit != ResourceType.name_limit:
        facts["physical_resource_name_limit"] = declared.name_limit
    if not declared.replaced_when_check_fails:
        facts["always_replace_on_check_failed"] = False
    return facts


def lines(value: Any, path: str = "", ordered: bool = False) -> Iterator[str]:
    """Writes facts as text: exact about types (1 is not true) and about the order of properties alone."""
    if isinstance(value, dict) and value:
        for name in value if ordered else sorted(value):
            inside = name in ("properties", "attributes", "update_policy", "schema") and not ordered
            yield from lines(value[name], f"{path}/{name}", inside)
    else:
        yield f"{path} = {json.dumps(value, sort_keys=True)}"


def reference() -> list[Path]:
    return sorted(REFERENCE.glob("*.json"))


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference is not part of the repository")
@pytest.mark.parametrize("file", reference(), ids=lambda file: file.stem)
def test_declaration_equals_reference(file: Path) -> None:
    facts = json.loads(file.read_text())
    if facts["resource_type"] in EXEMPT:
        pytest.skip("differs on purpose")
    del facts["handlers"]
    for rule in facts.get("translation_rules", []):
        if rule.get("entity") == COMPUTED:
            del rule["entity"]

    declared = catalogue.declaration(facts["resource_type"])

    assert declared is not None
    assert list(lines(facts_of_type(declared))) == list(lines(facts))


def test_built_in_names() -> None:
    assert len(catalogue.MODULES) >= 203
    assert set(catalogue.MODULES) <= set(catalogue.names())


@pytest.mark.parametrize("name", catalogue.MODULES)
def test_declaration_has_its_name(name: str) -> None:
    declared = catalogue.declaration(name)

    assert declared is not None
    assert declared.type_name == name


def test_unknown_type() -> None:
    assert catalogue.declaration("OS::Nowhere::Thing") is None


def test_aliases_lead_to_types() -> None:
    for target in catalogue.ALIASES.values():
        assert any(name.startswith(target.removesuffix("*")) for name in catalogue.MODULES)


def test_substitutes_are_types() -> None:
    for name in catalogue.MODULES:
        declared = catalogue.declaration(name)
        support = declared.support if declared else None
        while support is not None:
            assert support.substitute is None or support.substitute in catalogue.MODULES
            support = support.before


def test_catalogue_is_cheap_to_import() -> None:
    script = "import sys, calor.types.catalogue; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    modules = loaded.stdout.split()
    assert [name for name in modules if name.startswith("calor.types.")] == ["calor.types.catalogue"]
    assert "importlib.metadata" not in modules
