"""Files of a stack that are kept in a container of the object store, so that no request has to carry them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calor.clouds.errors import CloudError, NotFound, Transient
from calor.clouds.services import Services
from calor.service.errors import ServiceError

if TYPE_CHECKING:
    from requests import Response

PAGE = 1000


def kept_files(services: Services, container: str, but: Collection[str], most: int) -> dict[str, str]:
    """The texts of a container's objects by their names. `most` is how many bytes they may have together, as files in
    a request are limited, too. Raises ServiceError."""
    if not services.has("object"):
        raise ServiceError("HTTPBadRequest", "files_container: the cloud has no object store.")
    try:
        wanted = [one for one in _listed(services, container) if one["name"] not in but]
        size = sum(int(one["bytes"]) for one in wanted)
        if size > most:
            message = f"The files of the container {container} have {size} bytes together, of {most} allowed."
            raise ServiceError("RequestLimitExceeded", message)
        return {one["name"]: _text(services, container, one["name"]) for one in wanted}
    except NotFound:
        message = f"The container {container} could not be found, or lost an object meanwhile."
        raise ServiceError("HTTPBadRequest", message) from None
    except Transient as error:
        message = f"The container {container} cannot be read at present: {error.message}"
        raise ServiceError("HTTPServiceUnavailable", message) from None
    except CloudError as error:
        message = f"The container {container} cannot be read: {error.message}"
        raise ServiceError("HTTPBadRequest", message) from None


def _listed(services: Services, container: str) -> Iterator[dict[str, Any]]:
    """The objects, page by page: a store tells no more than so many at once."""
    query = {"format": "json", "limit": str(PAGE)}
    while True:
        answer = _send(services, container, params=query)
        page = answer.json() if answer.content else []
        yield from page
        if len(page) < PAGE:
            return
        query["marker"] = page[-1]["name"]


def _text(services: Services, container: str, name: str) -> str:
    try:
        return _send(services, container, *name.split("/")).content.decode()
    except UnicodeDecodeError:
        message = f"The object {name} of the container {container} is not text."
        raise ServiceError("HTTPBadRequest", message) from None


def _send(services: Services, *path: str, params: Mapping[str, str] | None = None) -> Response:
    if "" in path[:1] or not {".", ".."}.isdisjoint(path):
        # On the way, an address with these would become another one.
        raise NotFound(f"{'/'.join(path)!r} cannot be asked for.", status=404)
    return services.send("object", "GET", *path, params=params)
