"""A sample template for a resource type: its properties as parameters, its attributes as outputs."""

from __future__ import annotations

from calor.language import constraints as c
from calor.language.library import TemplateType
from calor.language.parameters import ParameterType
from calor.language.schema import DeclaredType, Property
from calor.resources.values import JsonObject

_SIMPLE: dict[type, ParameterType] = {
    str: ParameterType.STRING,
    int: ParameterType.NUMBER,
    float: ParameterType.NUMBER,
    bool: ParameterType.BOOLEAN,
    dict: ParameterType.JSON,
}


def sample_template(type_name: str, found: type[DeclaredType] | TemplateType, *, hot: bool) -> JsonObject:
    name = found.__name__ if isinstance(found, type) else type_name.rsplit("::", 1)[-1]
    properties = {key: one for key, one in found.properties.items() if one.implemented}
    if hot:
        return {
            "heat_template_version": "2016-10-14",
            "description": f"Initial template of {name}",
            "parameters": {key: _hot_parameter(one) for key, one in properties.items()},
            "resources": {
                name: {"type": type_name, "properties": {key: {"get_param": key} for key in properties}}
            },
            "outputs": {
                **{
                    key: {"description": one.doc, "value": {"get_attr": [name, key]}}
                    for key, one in found.attributes.items()
                },
                "OS::stack_id": {"value": {"get_resource": name}},
            },
        }
    return {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Description": f"Initial template of {name}",
        "Parameters": {key: _cfn_parameter(one) for key, one in properties.items()},
        "Resources": {
            name: {"Type": type_name, "Properties": {key: _ref(key, one) for key, one in properties.items()}}
        },
        "Outputs": {
            **{
                key: {"Description": one.doc, "Value": {"Fn::GetAtt": [name, key]}}
                for key, one in found.attributes.items()
            },
            "OS::stack_id": {"Value": {"Ref": name}},
        },
    }


def _kind(declared: Property) -> ParameterType:
    """The parameter's type; a list of other items than text can only be given as JSON."""
    if declared.kind is list:
        items = declared.items
        return ParameterType.JSON if items is not None and items.kind in (dict, list) else ParameterType.LIST
    return _SIMPLE.get(declared.kind, ParameterType.STRING)


def _default(declared: Property, kind: ParameterType) -> object:
    default = declared.default
    if kind is ParameterType.LIST and isinstance(default, list):
        return ",".join(map(str, default))
    return default


def _hot_parameter(declared: Property) -> JsonObject:
    kind = _kind(declared)
    made: JsonObject = {"type": kind.value}
    if declared.doc:
        made["description"] = declared.doc
    if declared.default is not None:
        made["default"] = _default(declared, kind)
    fitting = [_hot_constraint(one) for one in declared.constraints if _fits(one, kind)]
    return {**made, "constraints": fitting} if fitting else made


def _fits(constraint: c.Constraint, kind: ParameterType) -> bool:
    match constraint:
        case c.Range():
            return kind is ParameterType.NUMBER
        case c.Length():
            return kind in (ParameterType.STRING, ParameterType.LIST, ParameterType.JSON)
        case c.AllowedValues():
            return kind is not ParameterType.JSON
        case c.AllowedPattern():
            return kind is ParameterType.STRING
        case c.Custom():
            return kind is not ParameterType.JSON
    return False


def _hot_constraint(constraint: c.Constraint) -> JsonObject:
    match constraint:
        case c.Length():
            return {"length": _present(min=constraint.min, max=constraint.max)}
        case c.Range():
            return {"range": _present(min=constraint.min, max=constraint.max)}
        case c.AllowedValues():
            return {"allowed_values": list(constraint.values)}
        case c.AllowedPattern():
            return {"allowed_pattern": constraint.pattern}
        case c.Custom():
            return {"custom_constraint": constraint.name}
    raise TypeError(constraint)


def _cfn_parameter(declared: Property) -> JsonObject:
    kind = _kind(declared)
    made: JsonObject = {"Type": kind.cfn_name}
    if declared.doc:
        made["Description"] = declared.doc
    if declared.default is not None:
        made["Default"] = _default(declared, kind)
    for constraint in declared.constraints:
        if _fits(constraint, kind):
            made |= _cfn_constraint(constraint)
    return made


def _cfn_constraint(constraint: c.Constraint) -> JsonObject:
    match constraint:
        case c.Length():
            return _present(MinLength=constraint.min, MaxLength=constraint.max)
        case c.Range():
            return _present(MinValue=constraint.min, MaxValue=constraint.max)
        case c.AllowedValues():
            return {"AllowedValues": list(constraint.values)}
        case c.AllowedPattern():
            return {"AllowedPattern": constraint.pattern}
    return {}


def _present(**values: object) -> JsonObject:
    return {name: value for name, value in values.items() if value is not None}


def _ref(name: str, declared: Property) -> JsonObject:
    reference = {"Ref": name}
    return {"Fn::Split": [",", reference]} if _kind(declared) is ParameterType.LIST else reference
