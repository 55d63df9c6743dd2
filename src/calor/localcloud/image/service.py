"""The image service put together."""

from __future__ import annotations

from html import escape
from http import HTTPStatus

from starlette.applications import Starlette

from calor.localcloud.image import (
    data,
    discovery,
    images,
    members,
    metadef_parts,
    metadefs,
    schemas,
)
from calor.localcloud.image.state import ImageService
from calor.localcloud.web import Reply, service_app

_MODULES = (discovery, images, data, members, schemas, metadefs, metadef_parts)


def image_app(service: ImageService) -> Starlette:
    routes = [each.bound(service) for module in _MODULES for each in module.ROUTES]
    return service_app(routes, service.ground.authenticate, _error)


def _error(status: HTTPStatus, message: str, kind: str) -> Reply:
    """A page, which is how Glance tells of errors."""
    title = f"{status.value} {status.phrase}"
    page = (
        f"<html>\n <head>\n  <title>{title}</title>\n </head>\n"
        f" <body>\n  <h1>{title}</h1>\n  {escape(message)}<br /><br />\n </body>\n</html>"
    )
    return Reply(status, headers={"Content-Type": "text/html; charset=UTF-8"}, raw=page.encode())
