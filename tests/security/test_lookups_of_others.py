"""What a name means to somebody does not depend on what others share, or on what others were allowed to see."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from calor.clouds.errors import Conflict, Forbidden, NotFound
from calor.clouds.lookups import Lookups, find
from calor.clouds.services import Services
from calor.clouds.shared_state import SharedState
from calor.clouds.tempurls import KEY, Signer
from calor.engine.run.cloud_access import CloudAccess
from calor.types import catalogue

LOOKUPS = Lookups(catalogue.lookup)


class Cloud(Services):
    """A cloud with some things, of which its user sees those of their project and, if an admin, all."""

    def __init__(
        self, *things: dict[str, Any], project: str = "mine", user: str = "me", roles: tuple[str, ...] = ()
    ) -> None:
        access = type("Access", (), {"project_id": project, "user_id": user, "role_names": roles})()
        auth = type("Auth", (), {"get_access": lambda self, session: access})()
        super().__init__(cast(Any, None), cast(Any, type("Session", (), {"auth": auth})()))
        self.things = things
        self.roles = roles

    def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        return next((thing for thing in self._seen() if thing["id"] == path[-1]), None)

    def each(self, service: str, *path: str, **_: Any) -> Iterator[dict[str, Any]]:
        return iter(self._seen())

    def as_service(self) -> Services:
        """Knows of nothing that is shared with everybody."""
        return Cloud()

    def _seen(self) -> list[dict[str, Any]]:
        return [each for each in self.things if "admin" in self.roles or not each.get("hidden")]


SHAREABLE = {
    "neutron.network": "project_id",
    "neutron.subnet": "project_id",
    "neutron.subnetpool": "tenant_id",
    "neutron.address_scope": "project_id",
    "neutron.qos_policy": "project_id",
    "neutron.security_group": "project_id",
    "neutron.port": "project_id",
    "glance.image": "owner",
}


def thing(id: str, **members: Any) -> dict[str, Any]:
    return {"id": id, "name": "web", **members}


@pytest.mark.parametrize(("kind", "owner"), SHAREABLE.items())
class TestNames:
    def test_a_name_means_what_is_in_the_own_project(self, kind: str, owner: str) -> None:
        things = [thing("1", **{owner: "theirs"}), thing("2", **{owner: "mine"}), thing("3", **{owner: "x"})]

        assert find(Cloud(*things), kind, "web", LOOKUPS.of(kind))["id"] == "2"

    def test_what_is_shared_is_found_where_the_project_has_none(self, kind: str, owner: str) -> None:
        assert find(Cloud(thing("1", **{owner: "theirs"})), kind, "web", LOOKUPS.of(kind))["id"] == "1"

    @pytest.mark.parametrize("whose", ["mine", "theirs"])
    def test_a_name_of_several_is_ambiguous_else(self, kind: str, owner: str, whose: str) -> None:
        with pytest.raises(Conflict):
            find(
                Cloud(thing("1", **{owner: whose}), thing("2", **{owner: whose})),
                kind,
                "web",
                LOOKUPS.of(kind),
            )


class Neutron(Cloud):
    """One whose users are told that things are shared, and whose admins with whom."""

    def __init__(
        self, *things: dict[str, Any], for_all: tuple[str, ...] = (), error: type | None = None
    ) -> None:
        super().__init__(*things)
        self.for_all = for_all
        self.error = error

    def as_service(self) -> Services:
        return self

    def each(self, service: str, *path: str, **asked: Any) -> Iterator[dict[str, Any]]:
        if path != ("rbac-policies",):
            return super().each(service, *path)
        if self.error:
            raise self.error("No.")
        assert asked["params"]["target_tenant"] == "*"
        return iter([{"object_id": id} for id in self.for_all])


NETWORK_KINDS = [kind for kind in SHAREABLE if kind.startswith("neutron.") and kind != "neutron.port"]


@pytest.mark.parametrize("kind", NETWORK_KINDS)
class TestNamesOfWhatIsForEverybody:
    def things(self) -> list[dict[str, Any]]:
        """A thing that is for everybody, and another that somebody has shared with this project."""
        return [thing(each, network_id=each, project_id=each, shared=True) for each in ("1", "2")]

    def test_nobody_shares_another_in_its_place(self, kind: str) -> None:
        assert find(Neutron(*self.things(), for_all=("1",)), kind, "web", LOOKUPS.of(kind))["id"] == "1"

    def test_a_name_that_several_have_is_ambiguous(self, kind: str) -> None:
        with pytest.raises(Conflict):
            find(Neutron(*self.things(), for_all=("1", "2")), kind, "web", LOOKUPS.of(kind))

    @pytest.mark.parametrize("error", [Forbidden, None])
    def test_a_name_is_ambiguous_without_a_choice(self, kind: str, error: type | None) -> None:
        with pytest.raises(Conflict):
            find(Neutron(*self.things(), error=error), kind, "web", LOOKUPS.of(kind))


def test_an_external_network_is_the_default() -> None:
    public = thing("1", project_id="admins", **{"router:external": True})
    shared = thing("2", project_id="theirs", shared=True)

    assert find(Neutron(shared, public, error=Forbidden), "neutron.network", "web")["id"] == "1"


def test_a_public_image_is_meant_rather_than_a_shared_one() -> None:
    images = [
        thing("1", owner="a", visibility="shared"),
        thing("2", owner="b", visibility="public"),
        thing("3", owner="c", visibility="shared"),
    ]

    assert find(Cloud(*images), "glance.image", "web")["id"] == "2"


class Control:
    """As much of a run's as it takes to read."""

    async def in_thread(self, work: Any, *args: Any, pool: Any) -> Any:
        return work(*args)


class TestMemory:
    def test_what_an_admin_found_is_not_shown_to_a_member(self) -> None:
        lookups, secret = Lookups(), thing("1", hidden=True)

        assert lookups.id_of(Cloud(secret, roles=("admin",)), "neutron.network", "web") == "1"
        with pytest.raises(NotFound):
            lookups.id_of(Cloud(secret, roles=("member",)), "neutron.network", "web")

    def test_what_a_user_found_is_not_shown_to_another(self) -> None:
        """Key pairs are each user's own."""
        lookups = Lookups()

        lookups.id_of(Cloud({"keypair": {"id": "web", "name": "web"}, "id": ""}), "nova.keypair", "web")
        with pytest.raises(NotFound):
            lookups.id_of(Cloud(user="other"), "nova.keypair", "web")

    def test_regions_do_not_answer_for_each_other(self) -> None:
        lookups, here, there = Lookups(), Cloud(thing("1")), Cloud(thing("2"))
        there.region = "there"

        assert lookups.id_of(here, "neutron.network", "web") == "1"
        assert lookups.id_of(there, "neutron.network", "web") == "2"

    def test_the_key_of_an_account_serves_those_who_may_read_it(self) -> None:
        class Store(Cloud):
            def api(self, service: str) -> Any:
                return type("Api", (), {"url": "http://store/v1/a"})

            def send(self, service: str, method: str, *path: str, **_: Any) -> Any:
                shown = {KEY: "secret"} if "member" in self.roles else {}
                return type("Answer", (), {"headers": shown})

        signer = Signer()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("calor.clouds.tempurls._info", lambda services: None)
            assert signer.url(Store(roles=("member",)), "GET", "box", "thing")
            with pytest.raises(Exception, match="does not store a key"):
                signer.url(Store(roles=("reader",)), "GET", "box", "thing")

    def test_what_an_admins_run_read_is_not_shown_to_a_members(self) -> None:
        shared, secret = SharedState(), thing("1", hidden=True)
        reporting: Any = SimpleNamespace(control=Control(), outages=None)

        def read(*roles: str) -> Any:
            access = CloudAccess(reporting, Cloud(secret, roles=roles), shared)
            return asyncio.run(access.show_cached("network", "networks", "1"))

        assert read("admin") == secret
        assert read("member") is None
