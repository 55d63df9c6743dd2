"""The catalog: which services there are and where, for the project of a token."""

from __future__ import annotations

from typing import Any

from calor.localcloud.identity.records import Records


def catalog_for(records: Records, user_id: str, project_id: str | None) -> list[dict[str, Any]]:
    """Endpoints whose URL needs a project are left out where there is none."""
    endpoints: dict[str, list[dict[str, Any]]] = {}
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
    """The URL with its places filled, or None where one of them cannot be."""
    values = {"project_id": project_id, "tenant_id": project_id, "user_id": user_id}
    for place, value in values.items():
        for written in (f"%({place})s", f"$({place})s"):
            if written in url:
                if value is None:
                    return None
                url = url.replace(written, value)
    return url
