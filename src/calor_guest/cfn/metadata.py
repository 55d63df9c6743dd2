"""The metadata of a resource: asked for from the stack, or else what files on the server have of it."""

import json
import os
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from calor_guest.cfn.api import describe_resource
from calor_guest.cfn.credentials import Credentials
from calor_guest.cfn.endpoints import Endpoint
from calor_guest.cfn.logs import log
from calor_guest.cfn.problems import Problem
from calor_guest.common.files import make_private_folder, read_text, write
from calor_guest.common.http import RequestFailed

_INIT = "AWS::CloudFormation::Init"
_STEP = re.compile(r"(?:'([^']+)'|([^.]+))(?:\.|$)")

Fetch = Callable[[], Any]


class Retrieved(NamedTuple):
    metadata: Any
    has_changed: bool
    """Since the last time."""


def of_stack(
    endpoint: Optional[Endpoint], credentials: Credentials, stack: Optional[str], resource: Optional[str]
) -> Any:
    """What the stack has. Raises Problem."""
    if not credentials.are_complete:
        raise Problem("there are no credentials")
    if not stack or not resource:
        raise Problem("no stack and resource are given")
    if endpoint is None:
        raise Problem("the server of the stack is unknown")
    try:
        return in_response(describe_resource(endpoint, credentials, stack, resource))
    except RequestFailed as error:
        raise Problem(str(error)) from None


def in_response(response: Any) -> Any:
    """Raises Problem."""
    try:
        result = response["DescribeStackResourceResponse"]["DescribeStackResourceResult"]
        return decoded(result["StackResourceDetail"]["Metadata"])
    except (KeyError, TypeError):
        raise Problem("the response has no metadata") from None


def decoded(data: Any) -> Any:
    """Raises Problem."""
    if not isinstance(data, str):
        return data
    try:
        return json.loads(data)
    except ValueError:
        raise Problem("the metadata is not JSON") from None


def retrieve(fetch: Fetch, resource: Optional[str], initial: str, last: str) -> Optional[Retrieved]:
    """The metadata, which is kept for the next time; None if there is none."""
    lasts = _last_paths(resource, last)
    try:
        metadata = fetch()
    except Problem as problem:
        log.warning("the metadata is taken from files: %s", problem)
        metadata = _first_in([*lasts, initial])
    if metadata is None:
        log.error("there is no metadata")
        return None
    has_changed = metadata != _first_in(lasts)
    _keep(metadata, lasts)
    return Retrieved(metadata, has_changed)


def init_section(metadata: Any) -> Optional[Dict[str, Any]]:
    """What cfn-init processes; None if there is none."""
    found = metadata.get(_INIT) if isinstance(metadata, dict) else None
    return found if found and isinstance(found, dict) else None


def value_at(metadata: Any, key: str) -> Any:
    """The value of a key such as foo.bar.'with.dots'; None if there is none."""
    value = metadata
    for name in _steps(key):
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _steps(key: str) -> List[Optional[str]]:
    steps: List[Optional[str]] = []
    position = 0
    while position < len(key):
        match = _STEP.match(key, position)
        if match is None:
            return [None]
        steps.append(match.group(1) or match.group(2))
        position = match.end()
    return steps or [None]


def _last_paths(resource: Optional[str], last: str) -> List[str]:
    if resource is None:
        return [last]
    if "/" in resource or "\0" in resource:
        raise Problem(f"{resource!r} is not the name of a resource")
    return [f"{last}_{resource}", last]


def _first_in(paths: List[str]) -> Any:
    for path in paths:
        try:
            text = read_text(path)
            if text is not None:
                log.debug("metadata is in %s", path)
                return json.loads(text)
        except (OSError, ValueError) as error:
            log.warning("cannot read %s: %s", path, error)
    return None


def _keep(metadata: Any, paths: List[str]) -> None:
    text = json.dumps(metadata)
    try:
        folder = os.path.dirname(paths[0])
        if not os.path.isdir(folder):
            make_private_folder(folder)
        for path in reversed(paths):
            write(path, text)
    except OSError as error:
        log.warning("cannot keep the metadata: %s", error)
