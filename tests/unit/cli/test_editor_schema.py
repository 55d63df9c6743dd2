"""The schema for editors takes right templates and refuses wrong ones."""

import json
import re
from functools import cache
from textwrap import dedent
from typing import Any

import pytest

from calor.cli.editor_schema import Schema, hot_schema
from calor.language import reader
from calor.language.diagnostics import Report
from calor.types import catalogue

TYPES = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


@cache
def schema() -> Schema:
    return hot_schema(catalogue.names(), catalogue.declaration)


def is_type(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def fits(value: Any, rule: Schema) -> bool:
    """Whether a value is valid: as much of JSON Schema, draft 7, as the schema uses."""
    if "$ref" in rule:
        return fits(value, schema()["definitions"][rule["$ref"].removeprefix("#/definitions/")])
    return all(keyword(value, name, argument, rule) for name, argument in rule.items())


def keyword(value: Any, name: str, argument: Any, rule: Schema) -> bool:
    match name:
        case "type":
            return any(is_type(value, one) for one in ([argument] if isinstance(argument, str) else argument))
        case "enum":
            return any(same(value, one) for one in argument)
        case "const":
            return same(value, argument)
        case "anyOf":
            return any(fits(value, one) for one in argument)
        case "allOf":
            return all(fits(value, one) for one in argument)
        case "not":
            return not fits(value, argument)
        case "if":
            return not fits(value, argument) or fits(value, rule["then"])
        case "minimum":
            return isinstance(value, str) or value >= argument
        case "maximum":
            return isinstance(value, str) or value <= argument
        case "minLength":
            return not isinstance(value, str) or len(value) >= argument
        case "maxLength":
            return not isinstance(value, str) or len(value) <= argument
        case "pattern":
            return not isinstance(value, str) or re.search(argument, value) is not None
        case "items":
            return not isinstance(value, list) or all(fits(one, argument) for one in value)
        case "minItems":
            return not isinstance(value, list) or len(value) >= argument
        case "maxItems":
            return not isinstance(value, list) or len(value) <= argument
        case "properties":
            entries = value.items() if isinstance(value, dict) else ()
            return all(fits(one, argument[key]) for key, one in entries if key in argument)
        case "additionalProperties":
            others = (
                [one for key, one in value.items() if key not in rule.get("properties", {})] if value else []
            )
            return all(fits(one, argument) for one in others) if argument is not False else not others
        case "propertyNames":
            return not isinstance(value, dict) or all(fits(key, argument) for key in value)
        case "required":
            return not isinstance(value, dict) or all(key in value for key in argument)
        case "minProperties":
            return not isinstance(value, dict) or len(value) >= argument
        case "maxProperties":
            return not isinstance(value, dict) or len(value) <= argument
        case "$schema" | "title" | "description" | "definitions" | "then" | "default" | "deprecationMessage":
            return True
    raise AssertionError(f"the schema uses `{name}`, which this check does not know")


def accepts(text: str) -> bool:
    """Whether a template is valid; the version is put before it."""
    source = reader.read_mapping(f"heat_template_version: 2021-04-16\n{dedent(text)}", "template", Report())
    assert source is not None
    return fits(source.data, schema())


def accepts_server(properties: str) -> bool:
    return accepts(f"resources: {{web: {{type: OS::Nova::Server, properties: {properties}}}}}")


def test_a_template_with_all_sections_is_accepted() -> None:
    assert accepts("""
        description: A server
        parameter_groups: [{label: Sizes, parameters: [flavor]}]
        parameters:
          flavor:
            type: string
            default: m1.small
            constraints: [{allowed_values: [m1.small, m1.big], description: small or big}]
          count: {type: number, default: "2", constraints: [{range: {min: 1}}, {modulo: {step: 2, offset: 0}}]}
          networks: {type: comma_delimited_list, default: "a,b"}
          extra: {type: json, default: {a: 1}, hidden: true}
          public: {type: boolean, default: on, immutable: no}
        conditions:
          is_public: {equals: [{get_param: public}, true]}
          both: {and: [is_public, {not: {equals: [a, b]}}]}
        resources:
          key: {type: OS::Nova::KeyPair, properties: {name: k}, deletion_policy: retain}
          web:
            type: OS::Nova::Server
            condition: both
            depends_on: [key]
            metadata: {a: 1}
            properties:
              flavor: {get_param: flavor}
              image: {if: [is_public, a, b]}
              networks: [{port: {get_resource: port}}]
              config_drive: "True"
              metadata: {get_param: extra}
          port: {type: OS::Neutron::Port, properties: {network_id: old_name}}
          mine: {type: mine.yaml, properties: {anything: 1}}
          old: {type: OS::Nova::Server, external_id: abc}
        outputs:
          address: {value: {get_attr: [web, first_address]}, condition: is_public, description: where}
    """)


@pytest.mark.parametrize(
    "text",
    [
        "resource: {}",
        "resources: {a: {}}",
        "resources: {a/b: {type: OS::Heat::None}}",
        "resources: {a: {type: OS::Heat::Delay, propertys: {}}}",
        "resources: {a: {type: OS::Heat::Delay, depends_on: 3}}",
        "resources: {a: {type: OS::Heat::Delay, deletion_policy: keep}}",
        "resources: {a: {type: OS::Nova::Server}}",
        "outputs: {a: {description: no value}}",
        "outputs: {a: {value: 1, valeu: 2}}",
        "parameters: {a: {type: text}}",
        "parameters: {a: {default: 1}}",
        "parameters: {a: {type: number, default: many}}",
        "parameters: {a: {type: number, constraints: [{length: {min: 1}}]}}",
        "parameters: {a: {type: string, constraints: [{allowed_value: [a]}]}}",
        "conditions: {a: {equals: [a]}}",
        "conditions: {a: {str_replace: {}}}",
    ],
)
def test_what_the_language_does_not_have_is_refused(text: str) -> None:
    assert not accepts(text)


@pytest.mark.parametrize(
    "properties",
    [
        "{flavor: m1}",
        "{flavor: 1}",
        "{flavor: m1, image: }",
        "{flavor: {get_param: [sizes, small]}}",
        "{get_param: everything}",
        "{flavor: m1, config_drive: yes}",
        "{flavor: m1, user_data_format: RAW}",
        "{flavor: m1, tags: [a, {get_param: b}]}",
        "{flavor: m1, tags: {get_param: b}}",
        "{flavor: m1, networks: [{uuid: old_name}]}",
        "{flavor: m1, block_device_mapping_v2: [{volume_size: 3}, {volume_size: '3'}]}",
    ],
)
def test_properties_in_any_right_form_are_accepted(properties: str) -> None:
    assert accepts_server(properties)


@pytest.mark.parametrize(
    "properties",
    [
        "{}",
        "{flavour: m1}",
        "{flavor: m1, flavour: m1}",
        "{flavor: [m1]}",
        "{flavor: {get_parm: m1}}",
        "{flavor: m1, config_drive: maybe}",
        "{flavor: m1, user_data_format: TEXT}",
        "{flavor: m1, tags: a}",
        "{flavor: m1, networks: [{net: a}]}",
        "{flavor: m1, block_device_mapping_v2: [{volume_size: big}]}",
        "{flavor: m1, block_device_mapping_v2: [{ephemeral_size: 0}]}",
    ],
)
def test_properties_that_cannot_be_right_are_refused(properties: str) -> None:
    assert not accepts_server(properties)


def test_an_older_name_stands_for_a_required_property() -> None:
    assert accepts("resources: {a: {type: OS::Neutron::Port, properties: {network_id: n}}}")
    assert not accepts("resources: {a: {type: OS::Neutron::Port, properties: {name: n}}}")


def test_a_type_whose_service_is_gone_takes_any_property() -> None:
    assert accepts("resources: {a: {type: OS::Sahara::Job, properties: {whatever: 1}}}")


def test_numbers_and_texts_of_allowed_values_are_the_same() -> None:
    for version in ("4", "'4'"):
        assert accepts(
            f"resources: {{a: {{type: OS::Neutron::Subnet, properties: {{network: n, ip_version: {version}}}}}}}"
        )
    assert not accepts("resources: {a: {type: OS::Neutron::Subnet, properties: {network: n, ip_version: 5}}}")


def test_names_are_explained() -> None:
    server, _ = schema()["definitions"]["OS::Nova::Server"]["anyOf"]
    assert server["properties"]["flavor"]["description"].startswith("The size, by name or id")
    assert server["properties"]["personality"]["deprecationMessage"] == "deprecated since 12.0.0"


def test_is_small_enough_to_be_loaded_by_an_editor() -> None:
    assert len(json.dumps(schema())) < 3_000_000
