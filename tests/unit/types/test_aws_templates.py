"""The templates that implement types offer just what the declarations say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import calor.types
from calor.language.constraints import AllowedValues
from calor.language.schema import Property
from calor.resources.contract import ResourceType
from calor.types.aws.cloudwatch.alarm import Alarm
from calor.types.aws.rds.db_instance import DBInstance

TEMPLATES = Path(calor.types.__file__).parent / "templates"
KINDS: dict[type, str] = {str: "string", list: "comma_delimited_list"}

each_type = pytest.mark.parametrize("declared", [Alarm, DBInstance])


def template(declared: type[ResourceType]) -> dict[str, Any]:
    assert declared.template_file is not None
    data = yaml.safe_load((TEMPLATES / declared.template_file).read_text())
    assert isinstance(data, dict)
    return data


def allowed(prop: Property) -> list[Any]:
    return [list(each.values) for each in prop.constraints if isinstance(each, AllowedValues)]


@each_type
def test_parameters_are_the_properties(declared: type[ResourceType]) -> None:
    parameters = template(declared)["parameters"]

    assert list(parameters) == list(declared.properties)
    for name, prop in declared.properties.items():
        parameter = parameters[name]
        assert parameter["type"] == KINDS[prop.kind]
        assert ("default" not in parameter) == prop.required
        assert [each["allowed_values"] for each in parameter.get("constraints", [])] == allowed(prop)
        assert "default" not in parameter or not allowed(prop) or parameter["default"] in allowed(prop)[0]


@each_type
def test_outputs_are_the_attributes(declared: type[ResourceType]) -> None:
    assert {*template(declared).get("outputs", {}), "show"} == set(declared.attributes)
