"""The services of a cloud, with the session of one user in one project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from calor.clouds.calls import Api, content, path_of
from calor.clouds.errors import NotFound, Permanent
from calor.clouds.sessions import access_of
from calor.resources.values import JsonMapping, JsonObject

if TYPE_CHECKING:
    from keystoneauth1.session import Session
    from requests import Response

    from calor.clouds.sessions import Cloud


@dataclass(frozen=True, slots=True)
class ServiceKind:
    """The names of a service in the catalog and its URLs."""

    types: tuple[str, ...]
    """Its types in catalogs, the usual one first."""
    version: str | None = None
    """The version to append to a catalog URL without one."""
    header: str | None = None
    """Its name in the microversion header."""
    of_project: bool = False
    """Whether the URL ends with the id of the project."""


SPECIAL_SERVICES: Mapping[str, ServiceKind] = {
    "compute": ServiceKind(("compute",), "v2.1", header="compute"),
    "network": ServiceKind(("network",), "v2.0"),
    "image": ServiceKind(("image",), "v2"),
    "volume": ServiceKind(
        ("block-storage", "volumev3", "block-store"), "v3", header="volume", of_project=True
    ),
    "object": ServiceKind(("object-store",)),
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
        """What responses depend on: the region, the project and the roles there. A key for caches."""
        access = access_of(self.session)
        roles = sorted(access.role_names or ())
        return "\0".join((self.region or "", str(access.project_id), ",".join(roles)))

    def as_service(self) -> Services:
        """The same services with the service account, which may see more."""
        return Services(self._cloud, self._cloud.service, self.region)

    def api(self, service: str) -> Api:
        if service not in self._apis:
            self._apis[service] = self._open(service)
        return self._apis[service]

    def has(self, service: str) -> bool:
        """Whether the catalog has the service. Raises CloudError if the catalog cannot be read."""
        with suppress(Permanent):
            self.api(service)
            return True
        return False

    def _open(self, service: str) -> Api:
        if service == "identity":
            return self._cloud.identity(self.session)
        kind = SPECIAL_SERVICES.get(service) or ServiceKind((service,))
        return Api(self.session, self._address(kind), service)

    def _address(self, kind: ServiceKind) -> str:
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

    def request(
        self,
        service: str,
        method: str,
        *path: str,
        body: JsonMapping | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> JsonObject:
        """The body of the response. `version` is a microversion such as 2.79."""
        return content(self.send(service, method, *path, body=body, params=params, version=version))

    def send(
        self,
        service: str,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        if version is not None:
            version = self._cloud.options.limit_version(service, version)
        headers = {**_microversion(service, version), **(headers or {})}
        return self.api(service).send(method, path_of(*path), body=body, params=params, headers=headers)

    def show(self, service: str, *path: str, version: str | None = None) -> JsonObject | None:
        """An object without the member that wraps it; None if it does not exist."""
        try:
            return unwrapped(self.request(service, "GET", *path, version=version))
        except NotFound:
            return None

    def each(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> Iterator[JsonObject]:
        """All objects of a collection, page by page. `key` is the member of the response that contains them."""
        query = dict(params or {})
        while True:
            page = self.request(service, "GET", *path, params=query, version=version)
            yield from page.get(key) or ()
            next_url = _next_url(page, key)
            if next_url is None:
                return
            query = {**(params or {}), **dict(parse_qsl(urlsplit(next_url).query))}


def unwrapped(body: JsonObject) -> JsonObject:
    """The object that a response wraps, perhaps beside links; the body itself if it wraps none."""
    wrapped = [value for name, value in body.items() if name != "links"]
    if len(wrapped) == 1:
        [inner] = wrapped
        if isinstance(inner, dict):
            return inner
    return body


def _microversion(service: str, version: str | None) -> dict[str, str]:
    kind = SPECIAL_SERVICES.get(service)
    if version is None or kind is None or kind.header is None:
        return {}
    headers = {"OpenStack-API-Version": f"{kind.header} {version}"}
    if kind.header == "compute":
        headers["X-OpenStack-Nova-API-Version"] = version
    return headers


def _next_url(page: JsonMapping, key: str) -> str | None:
    """The URL of the next page, which services return in three formats."""
    # Cinder's volume_types have volume_type_links.
    for links in (page.get(f"{key}_links"), page.get(f"{key.removesuffix('s')}_links")):
        if isinstance(links, list):
            return next((link["href"] for link in links if link.get("rel") == "next"), None)
    if isinstance(page.get("next"), str):
        return str(page["next"])
    links = page.get("links")
    return links.get("next") if isinstance(links, dict) else None
