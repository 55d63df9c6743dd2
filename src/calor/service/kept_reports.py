"""Reports on deployments that servers have put into the object store, at a URL that only they know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from calor.clouds.errors import CloudError
from calor.clouds.services import Services

LARGEST = 1_048_576


def place_of(config: Mapping[str, Any]) -> tuple[str, str] | None:
    """The container and the object in which the report on a deployment outside of stacks will be; None if it comes by
    another way. Those of stacks are fetched by whoever walks the stack, who knows the old reports."""
    inputs = {each["name"]: each.get("value") for each in config.get("inputs") or ()}
    url = inputs.get("deploy_signal_id")
    if inputs.get("deploy_signal_transport") != "TEMP_URL_SIGNAL" or not isinstance(url, str):
        return None
    if inputs.get("deploy_stack_id"):
        return None
    _, *place = (unquote(part) for part in _path(url).rsplit("/", 2))
    # On the way, an address with these would become another one.
    return (place[0], place[1]) if len(place) == 2 and {"", ".", ".."}.isdisjoint(place) else None


def kept_report(services: Services, container: str, name: str) -> Mapping[str, Any] | None:
    """What a server has told; None as long as it has told nothing, or while the store cannot be asked."""
    # Cut off, a report that is too large is no JSON.
    part = {"Range": f"bytes=0-{LARGEST - 1}"}
    try:
        content = services.send("object", "GET", container, name, headers=part).content
        told = json.loads(content)
    except (CloudError, ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""
