"""Draws templates, and others that differ from them as the next version of a template does."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from random import Random
from typing import Any

from calor.language.schema import SHOW, Attribute, Property
from calor.resources.contract import ResourceType
from tests.support.workbench import Probe

NAMES = "abcdefgh"
CHILD = "child.yaml"
OTHER_CHILD = "other.yaml"


class Firm(ResourceType, extends=True):
    """Has a property that cannot be changed."""

    type_name = "Test::Firm"
    properties = {
        "label": Property(str, update_allowed=True, default=""),
        "firm": Property(str, update_allowed=True, immutable=True, default=""),
    }
    attributes = {"label": Attribute(str), "show": SHOW}
    attributes_from_properties = {"label": "label"}
    new_reference = True

    @classmethod
    def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        ctx.set_physical_id(f"firm-{ctx.id}")

    @classmethod
    def update(cls, ctx: Any, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        """Nothing has to be done."""

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        return ctx.properties.get(name)


class Rigid(ResourceType, extends=True):
    """Its properties could be changed, but it does not know how."""

    type_name = "Test::Rigid"
    properties = {"label": Property(str, update_allowed=True, default="")}
    attributes = {"label": Attribute(str), "show": SHOW}

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        return ctx.properties.get(name)


class Fleeting(Rigid):
    type_name = "Test::Fleeting"
    always_replaced = True


class Newborn(Probe, extends=True):
    """Says that each has an id of its own."""

    type_name = "Test::Newborn"
    new_reference = True


OWN_TYPES = (Firm, Rigid, Fleeting, Newborn)


class Author:
    """Writes requests; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def request(self) -> dict[str, Any]:
        names = [name for name in NAMES if self.random.random() < 0.6] or ["a"]
        if self._now_and_then(0.2):
            names.reverse()
        resources: dict[str, Any] = {}
        for name in names:
            resources[name] = self._resource(list(resources), resources)
        return {
            "template": self._template(resources),
            "files": self._files(),
            "environment": self._environment({}),
        }

    def changed(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The next version: some is new, some is gone, some has changed, most is the same."""
        if self._now_and_then(0.1):
            return self.request()
        before: dict[str, Any] = copy.deepcopy(request["template"]["resources"])
        resources: dict[str, Any] = {}
        names = list(before)
        added = [name for name in NAMES if name not in before and self._now_and_then(0.15)]
        for name in [*names, *added]:
            if name in before and self._now_and_then(0.12):
                continue
            kept = before.get(name)
            if kept is None or self._now_and_then(0.1) or not _refers_to(kept, NAMES) <= set(resources):
                resources[name] = self._resource(list(resources), resources)
            else:
                resources[name] = self._nudged(kept, resources) if self._now_and_then(0.4) else kept
        return {
            "template": self._template(resources or {"a": self._resource([], {})}),
            "files": self._files() if self._now_and_then(0.3) else request["files"],
            "environment": self._environment(resources)
            if self._now_and_then(0.6)
            else request["environment"],
        }

    def _now_and_then(self, chance: float) -> bool:
        return self.random.random() < chance

    def _template(self, resources: dict[str, Any]) -> dict[str, Any]:
        return {
            "heat_template_version": "2018-08-31",
            "parameters": {
                "p": {"type": "string", "default": "p0"},
                "n": {"type": "number", "default": 1},
                "on": {"type": "boolean", "default": True},
                "secret": {"type": "string", "default": "hush", "hidden": True},
            },
            "conditions": {"on": {"get_param": "on"}},
            "resources": resources,
        }

    def _environment(self, resources: Mapping[str, Any]) -> dict[str, Any]:
        parameters = {
            "p": self.random.choice(["p0", "p0", "p1"]),
            "n": self.random.choice([1, 1, 2]),
            "on": self.random.random() < 0.7,
            "secret": self.random.choice(["hush", "hush", "sesame"]),
        }
        made: dict[str, Any] = {"parameters": parameters}
        if resources and self._now_and_then(0.15):
            name = self.random.choice(sorted(resources))
            action = self.random.choice(["update", "replace", ["update", "replace"]])
            made["resource_registry"] = {"resources": {name: {"restricted_actions": action}}}
        return made

    def _files(self) -> dict[str, str]:
        extra = self.random.choice(["", "", "!"])
        fixed = self.random.choice(["f", "f", "g"])
        inner = f"""
  inner:
    type: OS::Heat::ResourceGroup
    properties:
      count: {self.random.choice([1, 1, 2])}
      resource_def:
        type: Test::Probe
        properties: {{value: {{get_param: q}}, fixed: '%index%'}}
"""
        child = f"""
heat_template_version: 2018-08-31
parameters:
  q: {{type: string, default: q0}}
conditions:
  long: {{not: {{equals: [{{get_param: q}}, x]}}}}
resources:
  one:
    type: Test::Probe
    properties: {{value: {{list_join: ['', [{{get_param: q}}, '{extra}']]}}, fixed: {fixed}}}
  two:
    type: OS::Heat::Value
    condition: {self.random.choice(["long", "long", "true"])}
    properties: {{value: {{get_attr: [one, value]}}}}
{self.random.choice(["", inner])}
outputs:
  out: {{value: {{get_attr: [one, value]}}}}
"""
        other = """
heat_template_version: 2018-08-31
parameters:
  q: {type: string, default: q1}
resources:
  one: {type: 'OS::Heat::RandomString'}
  three: {type: 'Test::Firm', properties: {label: {get_param: q}, firm: fast}}
outputs:
  out: {value: {get_attr: [one, value]}}
"""
        return {CHILD: child, OTHER_CHILD: other}

    # Resources.

    def _resource(self, earlier: list[str], resources: Mapping[str, Any]) -> dict[str, Any]:
        writers = [
            self._probe,
            self._probe,
            self._probe,
            self._newborn,
            self._newborn,
            self._value,
            self._value,
            self._test_resource,
            self._firm,
            self._rigid,
            self._random_string,
            self._none,
            self._template_as_type,
            self._template_as_type,
            self._group,
            self._group,
            self._scaling_group,
            self._chain,
        ]
        made = self.random.choice(writers)(earlier, resources)
        if earlier and self._now_and_then(0.2):
            made["depends_on"] = self.random.choice(earlier)
        if self._now_and_then(0.1):
            made["deletion_policy"] = "Retain"
        if self._now_and_then(0.1):
            made["metadata"] = {"note": self._text(earlier, resources)}
        if self._now_and_then(0.1):
            made["condition"] = "on"
        return made

    def _nudged(self, resource: dict[str, Any], resources: Mapping[str, Any]) -> dict[str, Any]:
        """The same resource with something about it changed."""
        made = copy.deepcopy(resource)
        earlier = list(resources)
        match self.random.randrange(5):
            case 0:
                made["metadata"] = {"note": self._text(earlier, resources)}
            case 1:
                made["deletion_policy"] = self.random.choice(["Delete", "Retain"])
            case 2 if earlier:
                made["depends_on"] = self.random.choice(earlier)
            case _:
                again = self._resource(earlier, resources)
                if again["type"] == made["type"] and made.get("properties"):
                    name = self.random.choice(sorted(made["properties"]))
                    made["properties"][name] = again["properties"].get(name, made["properties"][name])
                elif "value" in made.get("properties", {}):
                    made["properties"]["value"] = self._text(earlier, resources)
        return made

    def _text(self, earlier: list[str], resources: Mapping[str, Any]) -> Any:
        """A text: written down, a parameter, or what another resource is or has."""
        literal = self.random.choice(["x", "x", "y", "z"])
        if not earlier or self._now_and_then(0.4):
            return self.random.choice([literal, {"get_param": "p"}, {"get_param": "secret"}])
        name = self.random.choice(earlier)
        kind = resources[name]["type"]
        attribute = {
            "Test::Probe": "value",
            "Test::Newborn": "value",
            "OS::Heat::Value": "value",
            "OS::Heat::TestResource": "output",
            "OS::Heat::RandomString": "value",
            "Test::Firm": "label",
            "Test::Rigid": "label",
            "Test::Fleeting": "label",
            CHILD: "out",
            OTHER_CHILD: "out",
        }.get(kind)
        reference = {"get_resource": name}
        if attribute is None or self._now_and_then(0.4):
            return reference
        read = {"get_attr": [name, attribute]}
        return self.random.choice([read, read, {"list_join": ["-", ["t", read]]}])

    def _newborn(self, *known: Any) -> dict[str, Any]:
        return {**self._probe(*known), "type": Newborn.type_name}

    def _probe(self, *known: Any) -> dict[str, Any]:
        properties = {"value": self._text(*known), "fixed": self.random.choice(["", "", "f", "g"])}
        if self._now_and_then(0.06):
            properties["fails"] = self.random.choice(["create", "update"])
        if self._now_and_then(0.1):
            properties["fixed"] = self._text(*known)
        return {"type": Probe.type_name, "properties": properties}

    def _value(self, *known: Any) -> dict[str, Any]:
        return {"type": "OS::Heat::Value", "properties": {"value": self._text(*known)}}

    def _test_resource(self, *known: Any) -> dict[str, Any]:
        properties = {"value": self._text(*known), "update_replace": self.random.random() < 0.4}
        if self._now_and_then(0.06):
            properties["fail"] = True
        return {"type": "OS::Heat::TestResource", "properties": properties}

    def _firm(self, *known: Any) -> dict[str, Any]:
        firm = self._text(*known) if self._now_and_then(0.2) else self.random.choice(["", "", "", "f"])
        return {"type": Firm.type_name, "properties": {"label": self._text(*known), "firm": firm}}

    def _rigid(self, *known: Any) -> dict[str, Any]:
        kind = self.random.choice([Rigid, Rigid, Fleeting]).type_name
        return {"type": kind, "properties": {"label": self._text(*known)}}

    def _random_string(self, *known: Any) -> dict[str, Any]:
        length = self.random.choice([{"get_param": "n"}, 4, 4])
        return {"type": "OS::Heat::RandomString", "properties": {"length": length}}

    def _none(self, *known: Any) -> dict[str, Any]:
        return {"type": "OS::Heat::None", "properties": {"whatever": self._text(*known)}}

    def _template_as_type(self, *known: Any) -> dict[str, Any]:
        kind = self.random.choice([CHILD, CHILD, OTHER_CHILD])
        return {"type": kind, "properties": {"q": self._text(*known)}}

    def _group(self, *known: Any) -> dict[str, Any]:
        if self._now_and_then(0.3):
            member: dict[str, Any] = {"type": CHILD, "properties": {"q": "%index%"}}
        else:
            fixed = self.random.choice(["", "", "%index%", "f"])
            member = {"type": Probe.type_name, "properties": {"value": self._text(*known), "fixed": fixed}}
        count = self.random.choice([0, 1, 2, 2, 3, {"get_param": "n"}])
        properties: dict[str, Any] = {"count": count, "resource_def": member}
        if self._now_and_then(0.2):
            properties["removal_policies"] = [{"resource_list": [self.random.choice("01")]}]
        made = {"type": "OS::Heat::ResourceGroup", "properties": properties}
        if self._now_and_then(0.3):
            batch = {"max_batch_size": self.random.choice([1, 2]), "pause_time": 0}
            kept = {"min_in_service": self.random.choice([0, 1])}
            made["update_policy"] = self.random.choice(
                [{"rolling_update": {**batch, **kept}}, {"batch_create": batch}]
            )
        return made

    def _scaling_group(self, *known: Any) -> dict[str, Any]:
        member = {"type": Probe.type_name, "properties": {"value": self._text(*known)}}
        size = self.random.choice([1, 2, 2, 3])
        properties: dict[str, Any] = {
            "min_size": 1,
            "max_size": 3,
            "desired_capacity": size,
            "resource": member,
        }
        if self._now_and_then(0.4):
            properties["rolling_updates"] = {
                "max_batch_size": 1,
                "min_in_service": self.random.choice([0, 1]),
            }
        return {"type": "OS::Heat::AutoScalingGroup", "properties": properties}

    def _chain(self, *known: Any) -> dict[str, Any]:
        types = [
            self.random.choice([Probe.type_name, "OS::Heat::Value"])
            for _ in range(self.random.randrange(1, 4))
        ]
        value = self._text(*known)
        properties = {"resources": types, "resource_properties": {"value": value}}
        return {"type": "OS::Heat::ResourceChain", "properties": properties}


def _refers_to(value: Any, names: str) -> set[str]:
    """The resources that a definition names."""
    found: set[str] = set()
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("get_resource", "depends_on"):
                found.add(item)
            elif key == "get_attr":
                found.add(item[0])
            else:
                found |= _refers_to(item, names)
    elif isinstance(value, list):
        for item in value:
            found |= _refers_to(item, names)
    return found & set(names)
