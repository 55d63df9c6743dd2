"""The changes of an image to match a template, as JSON patches."""

from __future__ import annotations

from collections.abc import Iterable

from calor.resources.values import JsonMapping, JsonObject, Properties

CONTENT_TYPE = "application/openstack-images-v2.1-json-patch"


def patch(shown: JsonMapping, wanted: Properties, unwanted: Iterable[str]) -> list[JsonObject]:
    """The JSON patch that sets and removes members of an image."""
    steps = [
        {"op": "replace" if name in shown else "add", "path": _path(name), "value": value}
        for name, value in wanted.items()
        if name not in shown or shown[name] != value
    ]
    return steps + [{"op": "remove", "path": _path(name)} for name in unwanted if name in shown]


def _path(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")
