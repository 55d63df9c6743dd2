"""What the descriptions of several families share: parameters, errors, links."""

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
    "description": "An action and how far it has come.",
}
LINKS = items(ref("Link"))

PATH = {
    "project_id": "The project, the one of the token unless an administrator asks.",
    "stack_name": "The stack's name. Where no id follows: its name, its id, or its ARN with slashes encoded.",
    "stack_id": "The stack's id.",
    "resource_name": "The resource's name in the template.",
    "event_id": "The event's id.",
    "snapshot_id": "The snapshot's id.",
    "output_key": "The output's name in the template.",
    "type_name": "A resource type, as OS::Heat::Value.",
    "version": "A template version with its key, as heat_template_version.2021-04-16.",
    "config_id": "The software config's id.",
    "deployment_id": "The software deployment's id.",
    "server_id": "The server's id.",
}
"""What the names in paths stand for."""

SCHEMAS = {
    "Link": record({"href": {"type": "string", "format": "uri"}, "rel": TEXT}),
    "Fault": record(
        {
            "code": {"type": "integer"},
            "title": TEXT,
            "explanation": described(TEXT, "What the status means."),
            "error": record(
                {
                    "type": described(TEXT, "The kind of error, by Heat's names for them."),
                    "message": described(TEXT, "What is wrong with this very request."),
                    "traceback": TEXT_OR_NULL,
                }
            ),
        },
        {"diagnostics": described(items(ref("Diagnostic")), "All that is wrong with a template.")},
    ),
    "Diagnostic": record(
        {
            "severity": one_of("error", "warning"),
            "code": TEXT,
            "message": TEXT,
            "text": described(TEXT, "The message without the path."),
            "kind": TEXT,
            "path": described(TEXT, "Where it is: resources.web.properties.flavor."),
            "file": TEXT_OR_NULL,
            "line": {"type": ["integer", "null"]},
            "column": {"type": ["integer", "null"]},
            "hint": TEXT_OR_NULL,
            "deferred": described(FLAG, "Whether it matters only when the stack is worked on."),
        }
    ),
    "Notice": {
        **record({"message": TEXT, "code": described(TEXT, "404 Not Found, for one."), "title": TEXT}),
        "description": "What routing itself answers.",
    },
}

_FAULT, _NOTICE = ref("Fault"), ref("Notice")
REFUSALS = {
    400: Answer("The request cannot be understood or done as it is.", _FAULT),
    401: Answer(
        "The token is missing, unknown or expired.", _FAULT, headers={"WWW-Authenticate": "Who gives tokens."}
    ),
    403: Answer("The policy denies it, or the project is not the token's.", _FAULT),
    404: Answer("There is no such thing.", either(_FAULT, _NOTICE)),
    405: Answer(
        "A name with a slash in it leads to a path that knows other methods.",
        _NOTICE,
        headers={"Allow": "The methods that it knows."},
    ),
    409: Answer("The name is taken, or the stack is being worked on.", _FAULT),
    414: Answer("The address is too long.", _NOTICE),
    500: Answer("The server met an error of its own.", _FAULT),
    503: Answer("The server, or the identity service that it asks, cannot answer at present.", _FAULT),
}
EVERYWHERE = (400, 401, 403, 404, 405, 414, 500, 503)
"""Statuses that any operation below a project may answer."""


_IN_THE_QUERY: Schema = {"type": "string", "pattern": "^[^\\u0000]*$"}


def flag(name: str, doc: str) -> Parameter:
    """`true` or `false`, in any case."""
    return Parameter(name, FLAG, doc)


def number(name: str, doc: str) -> Parameter:
    return Parameter(name, COUNT, doc)


def text(name: str, doc: str) -> Parameter:
    return Parameter(name, _IN_THE_QUERY, doc)


def repeated(name: str, doc: str) -> Parameter:
    """May come several times, for any of the values."""
    return Parameter(name, items(_IN_THE_QUERY), doc)


def sorting(*keys: str) -> tuple[Parameter, ...]:
    return (
        repeated("sort_keys", f"What to sort by: {', '.join(keys)}; other keys are ignored."),
        Parameter("sort_dir", one_of("asc", "desc"), "In which direction."),
    )


def paging(what: str) -> tuple[Parameter, ...]:
    return (
        number("limit", "How many at most."),
        text("marker", f"The id of the {what} that the page comes after."),
    )


ACCEPTED = Answer("It is begun; the work goes on.", ref("Notice"))
NO_CONTENT = Answer("It is begun, or done. There is no body.")
NULL_ANSWER = Answer("It is begun, or done.", {"type": "null"})
TEMPLATE = described({"type": "object"}, "A template as data, HOT or CFN.")
