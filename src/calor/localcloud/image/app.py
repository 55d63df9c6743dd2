"""The image service as an application."""

from __future__ import annotations

from html import escape
from http import HTTPStatus

from starlette.applications import Starlette

from calor.localcloud.image import (
    data,
    images,
    infrastructure,
    members,
    metadef_parts,
    metadefs,
    schemas,
    versions,
)
from calor.localcloud.image.service import ImageService
from calor.localcloud.web import Reply, service_app

_MODULES = (versions, infrastructure, images, data, members, schemas, metadefs, metadef_parts)


def image_app(service: ImageService) -> Starlette:
    routes = [each.bound(service) for module in _MODULES for each in module.ROUTES]
    return service_app(routes, service.context.authenticate, _error)


def _error(status: HTTPStatus, message: str, kind: str) -> Reply:
    """Glance sends errors as HTML pages."""
    title = f"{status.value} {status.phrase}"
    page = (
        f"<html>\n <head>\n  <title>{title}</title>\n </head>\n"
        f" <body>\n  <h1>{title}</h1>\n  {escape(message)}<br /><br />\n </body>\n</html>"
    )
    return Reply(status, headers={"Content-Type": "text/html; charset=UTF-8"}, raw=page.encode())
