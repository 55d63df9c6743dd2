"""The results of deployments: a JSON object of outputs and of what the hook wrote."""

import json
from typing import Any, Dict, Mapping

LARGEST = 950000
"""Heat refuses requests of more than 1 MiB."""
NOT_FOUND = 127
_TEXTS = ("deploy_stdout", "deploy_stderr")

Result = Dict[str, Any]

INTERRUPTED = (
    "The deployment was interrupted: the server or its agent stopped while the hook ran. "
    "It does not run again unless the deployment is updated."
)


def result(stdout: str, stderr: str, status: int) -> Result:
    return {"deploy_stdout": stdout, "deploy_stderr": stderr, "deploy_status_code": status}


def failure(reason: str, status: int = 1) -> Result:
    return result("", reason, status)


def of_hook(stdout: str, stderr: str, status: int) -> Result:
    """What a hook prints is the result if it is an object, whatever the exit code."""
    if not stdout and status == 0:
        return {}
    try:
        printed = json.loads(stdout)
    except (ValueError, RecursionError):
        printed = None
    return printed if isinstance(printed, dict) else result(stdout[-LARGEST:], stderr, status)


def request_body(given: Mapping[str, Any]) -> str:
    """The result as JSON that is not too large: texts lose their beginning. Outputs are not shortened, since others
    depend on them: if they are too large, the deployment fails."""
    body = json.dumps(given)
    if len(body) <= LARGEST:
        return body
    texts = {name: given[name] for name in _TEXTS if isinstance(given.get(name), str)}
    room = LARGEST - len(json.dumps({**given, **dict.fromkeys(texts, "")}))
    if room < 0:
        return request_body(_too_large(given))
    lengths = {name: len(json.dumps(text)) - 2 for name, text in texts.items()}
    total = sum(lengths.values())
    return json.dumps(
        {**given, **{name: _end(text, room * lengths[name] // total) for name, text in texts.items()}}
    )


def _too_large(given: Mapping[str, Any]) -> Result:
    sizes = {name: len(json.dumps(value)) for name, value in given.items() if name not in _TEXTS}
    name = max(sizes, key=lambda one: sizes[one])
    reason = f"The outputs are too large to report: {name[:100]} takes {sizes[name]} of {LARGEST} bytes."
    return failure(reason)


def _end(text: str, room: int) -> str:
    """As much of the end as takes no more room in JSON."""
    low, high = 0, len(text)
    while low < high:
        cut = (low + high) // 2
        if len(json.dumps(text[cut:])) - 2 > room:
            low = cut + 1
        else:
            high = cut
    return text[low:]
