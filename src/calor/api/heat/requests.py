"""Validates the bodies of requests about stacks, and converts them for the use cases."""

from __future__ import annotations

from types import NoneType
from typing import Any

from calor.api.errors import BadRequest
from calor.api.web import LARGEST_NUMBER, Api, Call
from calor.language import environment as environments
from calor.language import reader
from calor.language.diagnostics import Report
from calor.resources.values import JsonMapping, JsonObject
from calor.service.commands import NewStack, StackChange
from calor.service.errors import ServiceError

LONGEST_TAG = 80


def new_stack(api: Api, call: Call) -> NewStack:
    """Raises BadRequest."""
    if "converge" in call.body:
        raise BadRequest("converge is only supported for updates.")
    return _stack(call.body, request(api, call))


def _stack(body: JsonMapping, given: JsonMapping) -> NewStack:
    return NewStack(
        name=_name(body),
        request=given,
        disable_rollback=_boolean(body, "disable_rollback", True),
        timeout_mins=_timeout(body),
        tags=tags(body.get("tags")) or (),
    )


def adopted_stack(api: Api, call: Call) -> tuple[NewStack, JsonObject]:
    """The new stack and the data to adopt. Raises BadRequest."""
    body = call.body
    text = body["adopt_stack_data"]
    source = reader.read_mapping(text, "adopt_stack_data", Report()) if isinstance(text, str) else None
    if source is None or not isinstance(source.data.get("template"), (dict, str)):
        raise BadRequest("adopt_stack_data must be the data of a stack as a JSON string.")
    data: JsonObject = dict(source.data)
    _check_adopted(data)
    given = {
        "template": data["template"],
        "files": {**_files(data), **_all_files(api, call)},
        "environment": {**_environment(data.get("environment")), **_environment(body.get("environment"))},
        "environment_files": _names(data, "environment_files"),
        "parameters": _map(body, "parameters"),
    }
    return _stack(body, given), data


def _check_adopted(data: JsonMapping) -> None:
    """Raises BadRequest if the data of a resource, also in nested stacks, is malformed."""
    waiting = [data]
    while waiting:
        for name, one in _map(waiting.pop(), "resources").items():
            id = one.get("resource_id") if isinstance(one, dict) else 0
            if not isinstance(id, (str, NoneType)):
                raise BadRequest(
                    f"adopt_stack_data: the resource {name} must be an object with a resource_id."
                )
            _map(one, "resource_data")
            _map(one, "metadata")
            _map(one, "template")
            waiting.append(one)


def stack_change(api: Api, call: Call, *, patch: bool) -> StackChange:
    """Raises BadRequest."""
    body = call.body
    existing = patch or _boolean(body, "existing", False)
    return StackChange(
        request=request(api, call, need_template=not existing),
        existing=existing,
        clear_parameters=tuple(_names(body, "clear_parameters")),
        disable_rollback=(
            _boolean(body, "disable_rollback", True) if body.get("disable_rollback") is not None else None
        ),
        timeout_mins=_timeout(body),
        tags=tags(body.get("tags")),
        converge=_boolean(body, "converge", False) or api.settings.converge,
    )


def changes_nothing(body: JsonMapping) -> bool:
    """Whether a PATCH leaves template, environment and parameters as they are."""
    changing = (
        "template",
        "template_url",
        "parameters",
        "environment",
        "files",
        "environment_files",
        "files_container",
        "clear_parameters",
    )
    return not any(body.get(key) for key in changing)


def request(api: Api, call: Call, *, need_template: bool = True) -> JsonObject:
    """Template, files, environment and parameters, in the form that the language expects. Raises BadRequest."""
    body = call.body
    template = body.get("template")
    url = _text(body, "template_url") if body.get("template_url") is not None else None
    if template is None and url is not None:
        template = api.queries.validation.fetch(url)
    if template is None and need_template:
        raise BadRequest("No template specified")
    if template is not None and not isinstance(template, (dict, str)):
        raise BadRequest("The template must be an object or a string.")
    made: JsonObject = {
        "files": _all_files(api, call),
        "environment": _environment(body.get("environment")),
        "environment_files": _names(body, "environment_files"),
        "parameters": _map(body, "parameters"),
    }
    return made if template is None else {"template": template, **made}


def tags(given: Any) -> tuple[str, ...] | None:
    """The tags in a comma-separated list; None if none are given. Raises BadRequest."""
    if given is None:
        return None
    if not isinstance(given, str):
        raise BadRequest("tags must be a string with comma-separated tags.")
    found = tuple(given.split(",")) if given else ()
    for tag in found:
        if len(tag) > LONGEST_TAG:
            raise BadRequest(f'Invalid tag, "{tag}" is longer than {LONGEST_TAG} characters')
    return found


def _environment(given: Any) -> JsonObject:
    """The sections of an environment. Raises BadRequest with all errors in it."""
    report = Report()
    if not isinstance(given, (dict, str, NoneType)):
        raise BadRequest("The environment must be an object or a string.")
    if isinstance(given, str):
        source = reader.read_mapping(given, "environment", report) if given.strip() else None
        given = source.data if source is not None else {}
        report.locate = source.place if source is not None else report.locate
    if reader.too_deep(given, reader.DEFAULT_LIMITS.depth):
        raise BadRequest("The environment is nested too deeply.")
    sections = environments.check(given or None, report, flat=True)
    if report.has_errors:
        problems = list(report)
        raise ServiceError("HTTPBadRequest", problems[0].message, problems)
    return sections


def _name(body: JsonMapping) -> str:
    if body.get("stack_name") is None:
        raise BadRequest("No stack name specified")
    return _text(body, "stack_name")


def _text(body: JsonMapping, key: str) -> str:
    value = body[key]
    if not isinstance(value, str):
        raise BadRequest(f"{key} must be a string.")
    return value


def _map(body: JsonMapping, key: str) -> JsonObject:
    value = body.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRequest(f"{key} must be an object.")
    return value


def _files(body: JsonMapping) -> JsonObject:
    files = _map(body, "files")
    for name, content in files.items():
        if not isinstance(content, (str, dict)):
            raise BadRequest(f"The content of the file {name} must be a string.")
    return files


def _all_files(api: Api, call: Call) -> JsonObject:
    """The files of a request, including those in its container in the object store."""
    files = _files(call.body)
    container = _text(call.body, "files_container") if call.body.get("files_container") is not None else ""
    if not container:
        return files
    return api.commands.services.with_container(call.caller, container, files, api.settings.largest_body)


def _names(body: JsonMapping, key: str) -> list[str]:
    value = body.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadRequest(f"{key} must be a list of names.")
    return value


def _boolean(body: JsonMapping, key: str, default: bool) -> bool:
    value = body.get(key)
    if value is None:
        return default
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise BadRequest(
        f'Unrecognized value "{value}" for "{key}", acceptable values are: true, false', "ValueError"
    )


def _timeout(body: JsonMapping) -> int | None:
    """The timeout in minutes; 0 means the server's default."""
    value = body.get("timeout_mins")
    if value is None:
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_NUMBER:
        raise BadRequest(f"Invalid timeout value {str(value)[:40]}: it must be a number of minutes.")
    return value or None
