"""What has to be done to an image so that it becomes what a template says, in the words of JSON patches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

CONTENT_TYPE = "application/openstack-images-v2.1-json-patch"


def patch(
    shown: Mapping[str, Any], wanted: Mapping[str, Any], unwanted: Iterable[str]
) -> list[dict[str, Any]]:
    """The steps from an image as it is shown to one that has some members, and others no more."""
    steps = [
        {"op": "replace" if name in shown else "add", "path": _path(name), "value": value}
        for name, value in wanted.items()
        if name not in shown or shown[name] != value
    ]
    return steps + [{"op": "remove", "path": _path(name)} for name in unwanted if name in shown]


def _path(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")
