"""Templates of any size, for benchmarks."""

from __future__ import annotations

from typing import Any


def flat(size: int) -> dict[str, Any]:
    """Resources that have nothing to do with each other."""
    return _template({f"r{i}": _resource(f"v{i}") for i in range(size)})


def chain(size: int) -> dict[str, Any]:
    """Each resource refers to the one before it."""
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
