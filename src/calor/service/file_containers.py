"""Files of a stack in a container of the object store, so that requests need not include them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from calor.clouds.errors import CloudError, NotFound, Transient
from calor.clouds.services import Services
from calor.resources.values import JsonObject
from calor.service.errors import ServiceError

if TYPE_CHECKING:
    from requests import Response

PAGE = 1000
MOST_FILES = 10_000

Files = Mapping[str, object]
"""The content of files by name."""


def read_files(services: Services, container: str, but: Collection[str], most: int) -> dict[str, str]:
    """The text of a container's objects by name. `most` is the maximum total size in bytes, as for the files of a
    request. Raises ServiceError."""
    try:
        if not services.has("object"):
            raise ServiceError("HTTPBadRequest", "files_container: the cloud has no object store.")
        listed = list(islice(_listed(services, container), MOST_FILES + 1))
        if len(listed) > MOST_FILES:
            message = f"The container {container} has more than {MOST_FILES:,} objects."
            raise ServiceError("RequestLimitExceeded", message)
        wanted = [one for one in listed if one["name"] not in but]
        size = sum(int(one["bytes"]) for one in wanted)
        if size > most:
            message = f"The files of the container {container} have {size} bytes in total; at most {most} are allowed."
            raise ServiceError("RequestLimitExceeded", message)
        return {one["name"]: _text(services, container, one["name"], int(one["bytes"])) for one in wanted}
    except NotFound:
        message = f"The container {container} could not be found, or an object in it was deleted meanwhile."
        raise ServiceError("HTTPBadRequest", message) from None
    except Transient as error:
        message = f"The container {container} cannot be read at present: {error.message}"
        raise ServiceError("HTTPServiceUnavailable", message) from None
    except CloudError as error:
        message = f"The container {container} cannot be read: {error.message}"
        raise ServiceError("HTTPBadRequest", message) from None


def _listed(services: Services, container: str) -> Iterator[JsonObject]:
    """The objects, in pages: an object store limits the length of lists."""
    query = {"format": "json", "limit": str(PAGE)}
    while True:
        answer = _send(services, container, params=query)
        page = answer.json() if answer.content else []
        yield from page
        if len(page) < PAGE:
            return
        query["marker"] = page[-1]["name"]


def _text(services: Services, container: str, name: str, size: int) -> str:
    """The text of an object, up to its listed size: it may grow meanwhile."""
    if size == 0:
        return ""
    try:
        part = {"Range": f"bytes=0-{size - 1}"}
        return _send(services, container, *name.split("/"), headers=part).content.decode()
    except UnicodeDecodeError:
        message = f"The object {name} of the container {container} is not text."
        raise ServiceError("HTTPBadRequest", message) from None


def _send(
    services: Services,
    *path: str,
    params: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    if "" in path[:1] or not {".", ".."}.isdisjoint(path):
        # These would be normalized to another URL.
        raise NotFound(f"{'/'.join(path)!r} is not a valid name.", status=404)
    return services.send("object", "GET", *path, params=params, headers=headers)
