"""The service itself."""

from __future__ import annotations

from calor.api.openapi.vocabulary import (
    COUNT,
    MAP,
    NULL,
    TEXT,
    TIME,
    Answer,
    Family,
    Operation,
    items,
    one_of,
    record,
    ref,
    wrapped,
)

_REVISION = record({"revision": TEXT})

OUTSIDE = {
    "GET /": Operation(
        "list_versions",
        "Lists the versions of the API",
        {300: Answer("The versions.", wrapped("versions", items(ref("Version"))))},
    ),
    "GET /healthcheck": Operation(
        "check_health",
        "Checks the health of the server",
        {
            200: Answer("The server is healthy.", TEXT, media_type="text/plain"),
            503: Answer("The database does not respond.", TEXT, media_type="text/plain"),
        },
    ),
    "GET /openapi.json": Operation("describe_api", "Describes the API", {200: Answer("This document.", MAP)}),
}
"""Operations without a project or a token."""

FAMILY = Family(
    "service",
    "The service itself.",
    {
        "GET /services": Operation(
            "list_services",
            "Lists the engines, for administrators",
            {200: Answer("The engines.", wrapped("services", items(ref("Service"))))},
        ),
        "GET /build_info": Operation(
            "show_build",
            "Shows the running versions",
            {200: Answer("The versions.", record({"api": _REVISION, "engine": _REVISION}))},
        ),
    },
    {
        "Version": record(
            {"id": TEXT, "status": one_of("CURRENT"), "links": items(ref("Link"))},
        ),
        "Service": record(
            {
                "id": TEXT,
                "binary": TEXT,
                "engine_id": TEXT,
                "host": TEXT,
                "hostname": TEXT,
                "topic": TEXT,
                "report_interval": COUNT,
                "created_at": TIME,
                "updated_at": TIME,
                "deleted_at": NULL,
                "status": one_of("up", "down"),
            }
        ),
    },
)
