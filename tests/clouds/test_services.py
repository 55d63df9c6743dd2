"""Requests to services, and lookups of names, against the embedded cloud."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from requests import Response

from calor.clouds.calls import content, path_of
from calor.clouds.errors import Conflict, Forbidden, NotFound, Permanent
from calor.clouds.lookups import LOOKUPS, Lookups, find
from calor.clouds.services import Services, unwrapped
from calor.clouds.sessions import Cloud

Account = Callable[[str], Cloud]


@pytest.fixture(scope="module")
def services(account_of: Account) -> Services:
    cloud = account_of("demo")
    return Services(cloud, cloud.service)


@pytest.fixture(scope="module")
def admin(account_of: Account) -> Services:
    cloud = account_of("admin")
    return Services(cloud, cloud.service)


@pytest.fixture
def networks(services: Services) -> Iterator[list[str]]:
    """Some networks, two of which have the same name."""
    made = [
        services.request("network", "POST", "networks", body={"network": {"name": name}})["network"]["id"]
        for name in ("twin", "twin", "single", "other")
    ]
    yield made
    for id in made:
        services.request("network", "DELETE", "networks", id)


# Requests.


def test_the_user_is_known(services: Services, admin: Services) -> None:
    assert services.project_id != admin.project_id
    assert services.user_id != admin.user_id


def test_services_are_those_of_the_catalog(services: Services) -> None:
    assert services.has("network")
    assert services.has("identity")
    assert not services.has("kettle")


def test_an_object_is_shown_without_what_wraps_it(services: Services, networks: list[str]) -> None:
    found = services.show("network", "networks", networks[2])
    assert found is not None
    assert found["name"] == "single"
    assert services.show("network", "networks", "no-such-network") is None


def test_a_refusal_has_the_words_of_the_service(services: Services) -> None:
    with pytest.raises(Permanent) as refused:
        services.request("network", "POST", "networks", body={"network": {"nonsense": 1}})

    assert refused.value.status == 400
    assert "nonsense" in refused.value.message


def test_all_pages_of_a_collection_are_read(services: Services, networks: list[str]) -> None:
    whole = {one["id"] for one in services.each("network", "networks", key="networks")}
    by_page = [
        one["id"] for one in services.each("network", "networks", key="networks", params={"limit": "1"})
    ]

    assert len(by_page) == len(set(by_page))
    assert set(by_page) == whole
    assert set(networks) <= whole


class OfProject(Services):
    """Services in the name of somebody in a certain project."""

    def __init__(self, cloud: Any = None, project: str = "p1") -> None:
        super().__init__(cloud, cast(Any, None))
        self.project = project

    @property
    def project_id(self) -> str:
        return self.project

    @property
    def user_id(self) -> str:
        return "u1"

    @property
    def rights(self) -> str:
        return self.project


class Pages:
    """A service that tells of the next page in one of the ways that services have."""

    def __init__(self, *bodies: dict[str, Any]) -> None:
        self.bodies = list(bodies)
        self.asked: list[dict[str, str]] = []

    def send(self, method: str, path: str, *, params: dict[str, str] | None = None, **_: Any) -> Any:
        self.asked.append(dict(params or {}))
        body = self.bodies.pop(0)

        class Answer:
            content = json.dumps(body).encode()

            def json(self) -> dict[str, Any]:
                return body

        return Answer()


@pytest.mark.parametrize(
    "further",
    [
        {"things_links": [{"rel": "next", "href": "http://cloud/things?limit=1&marker=a"}]},
        {"thing_links": [{"rel": "next", "href": "http://cloud/things?limit=1&marker=a"}]},
        {"next": "/v2/things?limit=1&marker=a"},
        {"links": {"next": "http://cloud/things?limit=1&marker=a", "previous": None}},
    ],
)
def test_services_tell_of_the_next_page_in_several_ways(further: dict[str, Any]) -> None:
    pages = Pages({"things": [{"id": "a"}], **further}, {"things": [{"id": "b"}], "links": {"next": None}})
    services = OfProject()
    services._apis["kettle"] = cast(Any, pages)

    listed = services.each("kettle", "things", key="things", params={"colour": "red"})
    assert [thing["id"] for thing in listed] == ["a", "b"]
    assert pages.asked == [{"colour": "red"}, {"colour": "red", "limit": "1", "marker": "a"}]


class Catalog:
    """Knows where services are, as a cloud does."""

    def __init__(self, **urls: str) -> None:
        self.urls = urls

    def endpoint(self, session: Any, name: str, region: str | None = None) -> str:
        if name.replace("-", "_") not in self.urls:
            raise Permanent("not in the catalog")
        return self.urls[name.replace("-", "_")]


@pytest.mark.parametrize(
    ("service", "kind", "url", "address"),
    [
        ("network", "network", "http://cloud:9696", "http://cloud:9696/v2.0"),
        ("network", "network", "http://cloud/network/v2.0", "http://cloud/network/v2.0"),
        ("compute", "compute", "http://cloud/compute/v2.1/p1", "http://cloud/compute/v2.1/p1"),
        ("image", "image", "http://cloud/image", "http://cloud/image/v2"),
        ("volume", "block-storage", "http://cloud/volume/v3/p1", "http://cloud/volume/v3/p1"),
        ("volume", "volumev3", "http://cloud/volume/v3", "http://cloud/volume/v3/p1"),
        ("object", "object-store", "http://cloud/v1/AUTH_p1", "http://cloud/v1/AUTH_p1"),
        ("kettle", "kettle", "http://cloud/tea", "http://cloud/tea"),
    ],
)
def test_a_service_is_found_however_the_catalog_writes_its_address(
    service: str, kind: str, url: str, address: str
) -> None:
    catalog = Catalog(**{kind.replace("-", "_"): url})

    assert OfProject(catalog).api(service).url == address


def test_an_answer_that_wraps_nothing_is_the_object_itself() -> None:
    assert unwrapped({"network": {"id": "n"}}) == {"id": "n"}
    assert unwrapped({"id": "i", "name": "image"}) == {"id": "i", "name": "image"}
    assert unwrapped({"networks": []}) == {"networks": []}


@pytest.mark.parametrize("said", [b"", b"null", b"{}"])
def test_an_answer_that_shows_nothing_is_empty(said: bytes) -> None:
    answer = Response()
    answer._content = said

    assert content(answer) == {}


@pytest.mark.parametrize("said", [b"[]", b"<html>", b"1"])
def test_a_response_that_is_not_an_object_is_refused(said: bytes) -> None:
    answer = Response()
    answer._content = said

    with pytest.raises(Permanent, match="not a JSON object"):
        content(answer)


# Names and ids.


def test_a_thing_is_found_by_its_id_and_by_its_name(services: Services, networks: list[str]) -> None:
    assert find(services, "neutron.network", networks[2])["name"] == "single"
    assert find(services, "neutron.network", "single")["id"] == networks[2]


def test_what_is_not_there_is_not_found(services: Services) -> None:
    with pytest.raises(NotFound, match="network 'nowhere'"):
        find(services, "neutron.network", "nowhere")


def test_an_ambiguous_name_is_refused(services: Services, networks: list[str]) -> None:
    with pytest.raises(Conflict, match="network 'twin' is ambiguous"):
        find(services, "neutron.network", "twin")


def test_the_default_group_is_that_of_the_own_project(services: Services, admin: Services) -> None:
    for asker in (services, admin):
        # A project has the group as soon as it looks for it.
        assert list(asker.each("network", "security-groups", key="security_groups"))
    own = find(admin, "neutron.security_group", "default")

    assert own["project_id"] == admin.project_id


def test_a_floating_ip_is_found_by_its_address(services: Services) -> None:
    public = find(services, "neutron.network", "public")["id"]
    made = services.request(
        "network", "POST", "floatingips", body={"floatingip": {"floating_network_id": public}}
    )["floatingip"]

    assert find(services, "neutron.floatingip", made["floating_ip_address"])["id"] == made["id"]
    services.request("network", "DELETE", "floatingips", made["id"])


@pytest.mark.parametrize(
    ("kind", "name"), [("keystone.project", "demo"), ("keystone.role", "member"), ("keystone.user", "heat")]
)
def test_things_of_the_identity_service_are_found_by_name(admin: Services, kind: str, name: str) -> None:
    found = find(admin, kind, name)

    assert found["name"] == name
    assert find(admin, kind, found["id"]) == found


class Guarded(OfProject):
    """An identity service that shows nothing by its id to one who may list what there is."""

    def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        raise Forbidden("You are not authorized.", status=403)

    def each(self, service: str, *path: str, **_: Any) -> Iterator[dict[str, Any]]:
        return iter([{"id": "p2", "name": "web"}])


def test_an_object_is_found_by_its_name_if_it_cannot_be_read_by_id() -> None:
    assert find(Guarded(), "keystone.project", "web")["id"] == "p2"


@pytest.mark.parametrize("kind", sorted(kind for kind in LOOKUPS if kind.startswith("neutron.")))
def test_network_lists_can_be_filtered_by_name(kind: str) -> None:
    lookup = LOOKUPS[kind]

    assert lookup.service == "network"
    assert lookup.key == lookup.path[-1].replace("-", "_")
    assert lookup.by_name == lookup.name


class WithDefault(OfProject):
    """Shows the usual volume type at a name that another one has."""

    def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        return {"id": "t1", "name": "slow"}

    def each(self, service: str, *path: str, **_: Any) -> Iterator[dict[str, Any]]:
        return iter([{"id": "t1", "name": "slow"}, {"id": "t2", "name": "default"}])


def test_special_paths_are_not_taken_for_names() -> None:
    assert find(WithDefault(), "cinder.vtype", "default")["id"] == "t2"


class Counting(OfProject):
    """Has every network that is asked for by its id, and counts the look-ups."""

    asked = 0

    def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        self.asked += 1
        return {"id": path[-1]} if path[-1] != "late" or self.asked > 1 else None

    def each(self, service: str, *path: str, **_: Any) -> Iterator[dict[str, Any]]:
        return iter(())


def test_found_ids_are_cached_and_missing_ones_are_not() -> None:
    lookups, services = Lookups(), Counting()
    assert [lookups.id_of(services, "neutron.network", "net") for _ in range(5)] == ["net"] * 5
    assert services.asked == 1

    services.asked = 0
    with pytest.raises(NotFound):
        lookups.id_of(services, "neutron.network", "late")
    assert lookups.id_of(services, "neutron.network", "late") == "late"


def test_projects_do_not_share_what_is_remembered() -> None:
    lookups, one, other = Lookups(), Counting(), Counting(project="p2")
    lookups.id_of(one, "neutron.network", "net")
    lookups.id_of(other, "neutron.network", "net")

    assert (one.asked, other.asked) == (1, 1)


@pytest.mark.parametrize("id", [".", ".."])
def test_an_id_that_would_lead_elsewhere_names_nothing(id: str) -> None:
    with pytest.raises(NotFound):
        path_of("servers", id)
