"""The service itself: its engines and its build."""

from __future__ import annotations

from calor.api.heat.views import moment
from calor.api.web import Api, Call, Reply, Route


def services(api: Api, call: Call) -> Reply:
    shown = [
        {
            "id": one.service.id,
            "binary": one.service.binary,
            "engine_id": one.service.engine,
            "host": one.service.host,
            "hostname": one.service.hostname,
            "topic": one.service.topic,
            "report_interval": one.service.report_interval,
            "created_at": moment(one.service.created_at),
            "updated_at": moment(one.service.updated_at),
            "deleted_at": None,
            "status": "up" if one.is_up else "down",
        }
        for one in api.queries.services.all()
    ]
    return Reply(body={"services": shown})


def build_info(api: Api, call: Call) -> Reply:
    settings = api.settings
    return Reply(
        body={"api": {"revision": settings.revision}, "engine": {"revision": settings.engine_revision}}
    )


ROUTES = (
    Route("GET", "/services", services, "service:index", alone=True),
    Route("GET", "/build_info", build_info, "build_info:build_info"),
)
