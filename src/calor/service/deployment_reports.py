"""The results of deployments that servers write to a temporary URL of the object store."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from calor.clouds.errors import CloudError
from calor.clouds.services import Services
from calor.resources import received_json
from calor.resources.values import JsonMapping

LARGEST = 1_048_576


def report_object(config: JsonMapping) -> tuple[str, str] | None:
    """The container and object of the result of a deployment outside stacks; None if it uses another transport. For
    stacks, the engine reads the results."""
    inputs = {each["name"]: each.get("value") for each in config.get("inputs") or ()}
    url = inputs.get("deploy_signal_id")
    if inputs.get("deploy_signal_transport") != "TEMP_URL_SIGNAL" or not isinstance(url, str):
        return None
    if inputs.get("deploy_stack_id"):
        return None
    _, *place = (unquote(part) for part in _path(url).rsplit("/", 2))
    # These would be normalized to another URL.
    return (place[0], place[1]) if len(place) == 2 and {"", ".", ".."}.isdisjoint(place) else None


def read_report(services: Services, container: str, name: str) -> JsonMapping | None:
    """The result; None if there is none yet, or if the object store does not respond."""
    # A result that is too large is truncated, and then is not valid JSON.
    part = {"Range": f"bytes=0-{LARGEST - 1}"}
    try:
        content = services.send("object", "GET", container, name, headers=part).content
        report = received_json.parse(content)
    except (CloudError, ValueError):
        return None
    return report if isinstance(report, dict) else None


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""
