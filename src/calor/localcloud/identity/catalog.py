"""The service catalog for the project of a token."""

from __future__ import annotations

from calor.localcloud.identity.records import Records
from calor.localcloud.types import Json


def catalog_for(records: Records, user_id: str, project_id: str | None) -> list[Json]:
    """Endpoints whose URL contains a project id are omitted without a project."""
    endpoints: dict[str, list[Json]] = {}
    for endpoint in records.endpoints.find(enabled=True):
        url = fill_url(endpoint.url, user_id, project_id)
        if url is not None:
            endpoints.setdefault(endpoint.service_id, []).append(
                {
                    "id": endpoint.id,
                    "interface": endpoint.interface,
                    "region": endpoint.region_id,
                    "region_id": endpoint.region_id,
                    "url": url,
                }
            )
    return [
        {"id": service.id, "type": service.type, "name": service.name, "endpoints": endpoints[service.id]}
        for service in records.services.find(enabled=True)
        if service.id in endpoints
    ]


def fill_url(url: str, user_id: str, project_id: str | None) -> str | None:
    """The URL with its variables replaced, or None if one has no value."""
    values = {"project_id": project_id, "tenant_id": project_id, "user_id": user_id}
    for place, value in values.items():
        for written in (f"%({place})s", f"$({place})s"):
            if written in url:
                if value is None:
                    return None
                url = url.replace(written, value)
    return url
