"""The object store as an application."""

from __future__ import annotations

from html import escape
from http import HTTPStatus

from starlette.applications import Starlette

from calor.localcloud.objectstore import accounts, containers, downloads, infrastructure, objects
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.web import Reply, Route, service_app

_MODULES = (accounts, containers, downloads, objects)


def objectstore_app(store: ObjectStoreService) -> Starlette:
    bound = [each.bound(store) for module in _MODULES for each in module.ROUTES]
    return service_app(
        [Route("GET", "/info", infrastructure.info, None), *bound], store.context.authenticate, _error
    )


def _error(status: HTTPStatus, message: str, kind: str) -> Reply:
    """Swift sends errors as HTML pages."""
    page = f"<html><h1>{status.phrase}</h1><p>{escape(message)}</p></html>"
    return Reply(status, headers={"Content-Type": "text/html; charset=UTF-8"}, raw=page.encode())
