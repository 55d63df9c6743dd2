"""The services of a cloud, in the name of one user in one project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from calor.clouds.calls import Api, content, path_of
from calor.clouds.errors import CloudError, NotFound, Permanent
from calor.clouds.sessions import access_of

if TYPE_CHECKING:
    from keystoneauth1.session import Session
    from requests import Response

    from calor.clouds.sessions import Cloud


@dataclass(frozen=True, slots=True)
class Kind:
    """A service as the catalog and its URLs name it."""

    types: tuple[str, ...]
    """What catalogs call it, the usual name first."""
    version: str | None = None
    """What its URL ends with, if the catalog has one without."""
    header: str | None = None
    """What it is called in the header that asks for a microversion."""
    of_project: bool = False
    """Whether the URL ends with the id of the project."""


KINDS: Mapping[str, Kind] = {
    "compute": Kind(("compute",), "v2.1", header="compute"),
    "network": Kind(("network",), "v2.0"),
    "image": Kind(("image",), "v2"),
    "volume": Kind(("block-storage", "volumev3", "block-store"), "v3", header="volume", of_project=True),
    "object": Kind(("object-store",)),
}


class Services:
    """Requests to the services by their short names. Every call may raise a CloudError."""

    def __init__(self, cloud: Cloud, session: Session, region: str | None = None) -> None:
        self.session = session
        self._cloud = cloud
        self.region = region
        self._apis: dict[str, Api] = {}

    @property
    def project_id(self) -> str:
        return str(access_of(self.session).project_id)

    @property
    def user_id(self) -> str:
        return str(access_of(self.session).user_id)

    @property
    def rights(self) -> str:
        """What decides which answers services give: the region, the project and the roles there. An answer that is
        remembered serves only the same rights."""
        access = access_of(self.session)
        roles = sorted(access.role_names or ())
        return "\0".join((self.region or "", str(access.project_id), ",".join(roles)))

    def api(self, service: str) -> Api:
        if service not in self._apis:
            self._apis[service] = self._open(service)
        return self._apis[service]

    def has(self, service: str) -> bool:
        with suppress(CloudError):
            self.api(service)
            return True
        return False

    def _open(self, service: str) -> Api:
        if service == "identity":
            return self._cloud.identity(self.session)
        kind = KINDS.get(service) or Kind((service,))
        return Api(self.session, self._address(kind), service)

    def _address(self, kind: Kind) -> str:
        for position, name in enumerate(kind.types):
            try:
                url = self._cloud.endpoint(self.session, name, region=self.region)
                break
            except Permanent:
                if position == len(kind.types) - 1:
                    raise
        if kind.version and not re.search(r"/v\d+(\.\d+)?(/|\Z)", urlsplit(url).path):
            url = f"{url}/{kind.version}"
        if kind.of_project and re.search(r"/v\d+(\.\d+)?\Z", url):
            url = f"{url}/{self.project_id}"
        return url

    def ask(
        self,
        service: str,
        method: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> dict[str, Any]:
        """The body of the answer. `version` is the microversion to ask for, such as 2.79."""
        return content(self.send(service, method, *path, body=body, params=params, version=version))

    def send(
        self,
        service: str,
        method: str,
        *path: str,
        body: Any = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        if version is not None:
            version = self._cloud.reaching.capped(service, version)
        asked = {**_microversion(service, version), **(headers or {})}
        return self.api(service).send(method, path_of(*path), body=body, params=params, headers=asked)

    def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        """What the answer wraps, or all of it where it wraps nothing; None if there is no such thing."""
        try:
            return unwrapped(self.ask(service, "GET", *path, version=version))
        except NotFound:
            return None

    def each(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """All objects of a collection, page by page. `key` is the member of the answer that holds them."""
        query = dict(params or {})
        while True:
            page = self.ask(service, "GET", *path, params=query, version=version)
            yield from page.get(key) or ()
            following = _following(page, key)
            if following is None:
                return
            query = {**(params or {}), **dict(parse_qsl(urlsplit(following).query))}


def unwrapped(body: dict[str, Any]) -> dict[str, Any]:
    """The one object that an answer wraps, perhaps beside links."""
    wrapped = [value for name, value in body.items() if name != "links"]
    if len(wrapped) == 1:
        [inner] = wrapped
        if isinstance(inner, dict):
            return inner
    return body


def _microversion(service: str, version: str | None) -> dict[str, str]:
    kind = KINDS.get(service)
    if version is None or kind is None or kind.header is None:
        return {}
    asked = {"OpenStack-API-Version": f"{kind.header} {version}"}
    if kind.header == "compute":
        asked["X-OpenStack-Nova-API-Version"] = version
    return asked


def _following(page: Mapping[str, Any], key: str) -> str | None:
    """The address of the next page: services tell it in three ways."""
    # Cinder's volume_types have volume_type_links.
    for links in (page.get(f"{key}_links"), page.get(f"{key.removesuffix('s')}_links")):
        if isinstance(links, list):
            return next((link["href"] for link in links if link.get("rel") == "next"), None)
    if isinstance(page.get("next"), str):
        return str(page["next"])
    links = page.get("links")
    return links.get("next") if isinstance(links, dict) else None
