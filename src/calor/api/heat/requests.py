"""What clients send about a stack, checked and made into requests of the use cases."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any

from calor.api.errors import BadRequest
from calor.api.web import LARGEST_NUMBER, Api, Call
from calor.language import environment as environments
from calor.language import reader
from calor.language.diagnostics import Report
from calor.service.commands import NewStack, StackChange
from calor.service.errors import ServiceError

LONGEST_TAG = 80


def new_stack(api: Api, call: Call) -> NewStack:
    """Raises BadRequest."""
    if "converge" in call.body:
        raise BadRequest("converge is for updates only.")
    return _stack(call.body, request(api, call))


def _stack(body: Mapping[str, Any], given: Mapping[str, Any]) -> NewStack:
    return NewStack(
        name=_name(body),
        request=given,
        disable_rollback=_boolean(body, "disable_rollback", True),
        timeout_mins=_timeout(body),
        tags=tags(body.get("tags")) or (),
    )


def adopted_stack(api: Api, call: Call) -> tuple[NewStack, dict[str, Any]]:
    """A stack to be made of what another one left behind, and that. Raises BadRequest."""
    body = call.body
    text = body["adopt_stack_data"]
    source = reader.read_mapping(text, "adopt_stack_data", Report()) if isinstance(text, str) else None
    if source is None or not isinstance(source.data.get("template"), (dict, str)):
        raise BadRequest("adopt_stack_data must be the data of a stack, as JSON text.")
    data: dict[str, Any] = dict(source.data)
    _check_left(data)
    given = {
        "template": data["template"],
        "files": {**_files(data), **_all_files(api, call)},
        "environment": {**_environment(data.get("environment")), **_environment(body.get("environment"))},
        "environment_files": _names(data, "environment_files"),
        "parameters": _map(body, "parameters"),
    }
    return _stack(body, given), data


def _check_left(data: Mapping[str, Any]) -> None:
    """Raises BadRequest unless all that is left behind of resources, also in stacks below, has its shape."""
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


def changes_nothing(body: Mapping[str, Any]) -> bool:
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


def request(api: Api, call: Call, *, need_template: bool = True) -> dict[str, Any]:
    """Template, files, environment and parameters, as the language takes them. Raises BadRequest."""
    body = call.body
    template = body.get("template")
    url = _text(body, "template_url") if body.get("template_url") is not None else None
    if template is None and url is not None:
        template = api.queries.validation.fetch(url)
    if template is None and need_template:
        raise BadRequest("No template specified")
    if template is not None and not isinstance(template, (dict, str)):
        raise BadRequest("The template must be an object, or text.")
    made: dict[str, Any] = {
        "files": _all_files(api, call),
        "environment": _environment(body.get("environment")),
        "environment_files": _names(body, "environment_files"),
        "parameters": _map(body, "parameters"),
    }
    return made if template is None else {"template": template, **made}


def tags(given: Any) -> tuple[str, ...] | None:
    """Tags in a list with commas; None if none are given. Raises BadRequest."""
    if given is None:
        return None
    if not isinstance(given, str):
        raise BadRequest("tags must be text, with commas between the tags.")
    found = tuple(given.split(",")) if given else ()
    for tag in found:
        if len(tag) > LONGEST_TAG:
            raise BadRequest(f'Invalid tag, "{tag}" is longer than {LONGEST_TAG} characters')
    return found


def _environment(given: Any) -> dict[str, Any]:
    """An environment as its sections. Raises BadRequest with all that is wrong with it."""
    report = Report()
    if not isinstance(given, (dict, str, NoneType)):
        raise BadRequest("The environment must be an object, or text.")
    if isinstance(given, str):
        source = reader.read_mapping(given, "environment", report) if given.strip() else None
        report.locate = source.locate if source is not None else report.locate
        given = source.data if source is not None else {}
    if reader.too_deep(given, reader.DEFAULT_LIMITS.depth):
        raise BadRequest("The environment is nested too deeply.")
    sections = environments.check(given or None, report, flat=True)
    if report.has_errors:
        problems = list(report)
        raise ServiceError("HTTPBadRequest", problems[0].message, problems)
    return sections


def _name(body: Mapping[str, Any]) -> str:
    if body.get("stack_name") is None:
        raise BadRequest("No stack name specified")
    return _text(body, "stack_name")


def _text(body: Mapping[str, Any], key: str) -> str:
    value = body[key]
    if not isinstance(value, str):
        raise BadRequest(f"{key} must be text.")
    return value


def _map(body: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = body.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRequest(f"{key} must be an object.")
    return value


def _files(body: Mapping[str, Any]) -> dict[str, Any]:
    files = _map(body, "files")
    for name, content in files.items():
        if not isinstance(content, (str, dict)):
            raise BadRequest(f"The content of the file {name} must be text.")
    return files


def _all_files(api: Api, call: Call) -> dict[str, Any]:
    """The files of a request, and those that are kept for it in the object store."""
    files = _files(call.body)
    container = _text(call.body, "files_container") if call.body.get("files_container") is not None else ""
    if not container:
        return files
    return api.commands.files_in(call.caller, container, files, api.settings.largest_body)


def _names(body: Mapping[str, Any], key: str) -> list[str]:
    value = body.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadRequest(f"{key} must be a list of names.")
    return value


def _boolean(body: Mapping[str, Any], key: str, default: bool) -> bool:
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


def _timeout(body: Mapping[str, Any]) -> int | None:
    """The timeout in minutes; 0 stands for the server's own."""
    value = body.get("timeout_mins")
    if value is None:
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_NUMBER:
        raise BadRequest(f"Invalid timeout value {str(value)[:40]}: it must be a number of minutes.")
    return value or None
