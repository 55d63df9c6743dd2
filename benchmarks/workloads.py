"""Templates of any size, for benchmarks."""

from __future__ import annotations

import json
from typing import Any


def flat(size: int) -> dict[str, Any]:
    """Independent resources."""
    return _template({f"r{i}": _resource(f"v{i}") for i in range(size)})


def chain(size: int) -> dict[str, Any]:
    """Each resource refers to the previous one."""
    values: list[Any] = ["v0", *({"get_resource": f"r{i - 1}"} for i in range(1, size))]
    return _template({f"r{i}": _resource(value) for i, value in enumerate(values)})


def rich(size: int) -> dict[str, Any]:
    """Each resource has a str_replace and a repeat."""
    resources = {}
    for i in range(size):
        params = {"$i": str(i), "$p": {"get_param": "p"}}
        resource = _resource({"str_replace": {"template": "name-$i-$p", "params": params}})
        repeated = {"template": f"item-%x%-{i}", "for_each": {"%x%": ["a", "b", "c", "d"]}}
        resources[f"r{i}"] = {**resource, "metadata": {"list": {"repeat": repeated}}}
    return {**_template(resources), "parameters": {"p": {"type": "string", "default": "pval"}}}


WORKLOADS = {"flat": flat, "chain": chain, "rich": rich}


def _template(resources: dict[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": resources}


def _resource(value: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::TestResource", "properties": {"value": value}}


# Stacks that are really created.


def independent(size: int) -> dict[str, Any]:
    return _template({f"r{i}": _random(str(i)) for i in range(size)})


def linked(size: int) -> dict[str, Any]:
    """Each resource depends on the previous one."""
    salts: list[Any] = ["0", *({"get_resource": f"r{i - 1}"} for i in range(1, size))]
    return _template({f"r{i}": _random(salt) for i, salt in enumerate(salts)})


def layers(count: int, size: int, fan: int = 10) -> dict[str, Any]:
    """Each resource depends on some of the previous layer."""
    resources = {}
    for layer in range(count):
        for index in range(size):
            needed = [f"r{layer - 1}_{(index + step) % size}" for step in range(fan)] if layer else []
            resources[f"r{layer}_{index}"] = {**_random(str(index)), "depends_on": needed}
    return _template(resources)


def group(size: int) -> dict[str, Any]:
    return _template({"g": _group(size, _random("%index%"))})


def tree(nested: int, size: int) -> tuple[dict[str, Any], dict[str, str]]:
    """A group of nested stacks, with the file of their template."""
    below = _template({f"r{i}": _random(str(i)) for i in range(size)})
    return _template({"g": _group(nested, {"type": "below.yaml"})}), {"below.yaml": json.dumps(below)}


def _group(size: int, member: dict[str, Any]) -> dict[str, Any]:
    return {"type": "OS::Heat::ResourceGroup", "properties": {"count": size, "resource_def": member}}


def _random(salt: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::RandomString", "properties": {"length": 8, "salt": salt}}
