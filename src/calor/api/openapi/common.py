"""Shared parts of the descriptions: parameters, errors, links."""

from __future__ import annotations

from calor.api.openapi.vocabulary import (
    COUNT,
    FLAG,
    TEXT,
    TEXT_OR_NULL,
    Answer,
    Parameter,
    Schema,
    described,
    either,
    items,
    one_of,
    record,
    ref,
)

ACTION = one_of(
    "INIT",
    "CREATE",
    "DELETE",
    "UPDATE",
    "ROLLBACK",
    "SUSPEND",
    "RESUME",
    "ADOPT",
    "SNAPSHOT",
    "CHECK",
    "RESTORE",
)
STATUS = one_of("IN_PROGRESS", "FAILED", "COMPLETE")
STATE: Schema = {
    "type": "string",
    "pattern": f"^({'|'.join(ACTION['enum'])})_({'|'.join(STATUS['enum'])})$",
    "description": "An action and its status.",
}
LINKS = items(ref("Link"))

PATH = {
    "project_id": "The project: that of the token, except for administrators.",
    "stack_name": "The stack's name. If no id follows: its name, its id, or its ARN with encoded slashes.",
    "stack_id": "The stack's id.",
    "resource_name": "The resource's name in the template.",
    "event_id": "The event's id.",
    "snapshot_id": "The snapshot's id.",
    "output_key": "The output's name in the template.",
    "type_name": "A resource type, such as OS::Heat::Value.",
    "version": "A template version with its key, such as heat_template_version.2021-04-16.",
    "config_id": "The software config's id.",
    "deployment_id": "The software deployment's id.",
    "server_id": "The server's id.",
}
"""The parameters in paths."""

_PLACE = {
    "document": described(TEXT_OR_NULL, "template, environment, or the name of a file in the request."),
    "at": described(
        items({"type": ["string", "integer"]}), "The keys and indices of the place in the document."
    ),
}

SCHEMAS = {
    "Link": record({"href": {"type": "string", "format": "uri"}, "rel": TEXT}),
    "Fault": record(
        {
            "code": {"type": "integer"},
            "title": TEXT,
            "explanation": described(TEXT, "The meaning of the status."),
            "error": record(
                {
                    "type": described(TEXT, "The kind of error, as named by Heat."),
                    "message": described(TEXT, "The error in this request."),
                    "traceback": TEXT_OR_NULL,
                }
            ),
        },
        {"diagnostics": described(items(ref("Diagnostic")), "All errors in a template.")},
    ),
    "DocumentPlace": record(_PLACE),
    "Diagnostic": record(
        {
            "severity": one_of("error", "warning"),
            "code": TEXT,
            "message": TEXT,
            "text": described(TEXT, "The message without the path."),
            "kind": TEXT,
            "path": described(TEXT, "The path of the error, such as resources.web.properties.flavor."),
            "file": TEXT_OR_NULL,
            "line": {"type": ["integer", "null"]},
            "column": {"type": ["integer", "null"]},
            **_PLACE,
            "declared": described(
                either(ref("DocumentPlace"), {"type": "null"}),
                "The declaration of the parameter with an invalid value.",
            ),
            "hint": TEXT_OR_NULL,
            "deferred": described(FLAG, "Whether Heat would report it only during the action on the stack."),
        }
    ),
    "Notice": {
        **record({"message": TEXT, "code": described(TEXT, "Such as 404 Not Found."), "title": TEXT}),
        "description": "The response of the router.",
    },
}

_FAULT, _NOTICE = ref("Fault"), ref("Notice")
REFUSALS = {
    400: Answer("The request is invalid.", _FAULT),
    401: Answer(
        "The token is missing, unknown or expired.",
        _FAULT,
        headers={"WWW-Authenticate": "The service that issues tokens."},
    ),
    403: Answer("The policy denies it, or the project is not the token's.", _FAULT),
    404: Answer("The resource does not exist.", either(_FAULT, _NOTICE)),
    405: Answer(
        "A name with a slash results in a path with other methods.",
        _NOTICE,
        headers={"Allow": "The supported methods."},
    ),
    409: Answer(
        "The name is in use, an action on the stack is in progress, or too many signals wait to be handled.",
        _FAULT,
    ),
    414: Answer("The URL is too long.", _NOTICE),
    429: Answer(
        "The project has too many open event streams.",
        _FAULT,
        headers={"Retry-After": "The number of seconds after which to try again."},
    ),
    500: Answer("An internal error occurred.", _FAULT),
    503: Answer("The server or the identity service is temporarily unavailable.", _FAULT),
}
EVERYWHERE = (400, 401, 403, 404, 405, 414, 500, 503)
"""Statuses that any operation below a project may return."""


_IN_THE_QUERY: Schema = {"type": "string", "pattern": "^[^\\u0000]*$"}


def flag(name: str, doc: str) -> Parameter:
    """`true` or `false`, in any case."""
    return Parameter(name, FLAG, doc)


def number(name: str, doc: str) -> Parameter:
    return Parameter(name, COUNT, doc)


def text(name: str, doc: str) -> Parameter:
    return Parameter(name, _IN_THE_QUERY, doc)


def repeated(name: str, doc: str) -> Parameter:
    """A parameter that may be repeated, to match any of the values."""
    return Parameter(name, items(_IN_THE_QUERY), doc)


def sorting(*keys: str) -> tuple[Parameter, ...]:
    return (
        repeated("sort_keys", f"The sort keys: {', '.join(keys)}; other keys are ignored."),
        Parameter("sort_dir", one_of("asc", "desc"), "The sort direction."),
    )


def paging(what: str) -> tuple[Parameter, ...]:
    return (
        number("limit", "The maximum number of items."),
        text("marker", f"The id of the {what} after which the page starts."),
    )


ACCEPTED = Answer("The request was accepted and is being processed.", ref("Notice"))
NO_CONTENT = Answer("The request was accepted or is complete. There is no body.")
NULL_ANSWER = Answer("The request was accepted or is complete.", {"type": "null"})
TEMPLATE = described({"type": "object"}, "A template as data, HOT or CFN.")
