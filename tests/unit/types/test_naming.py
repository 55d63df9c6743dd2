"""Names of cloud objects in properties, replaced by ids."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from calor.clouds.errors import NotFound
from calor.language.schema import Resolve
from calor.resources.contract import ResourceType
from calor.types.naming import with_ids

ID = "8b0ad0fb-4cb5-4a39-8e2e-2b8cb2e5f1a4"


class Thing(ResourceType, extends=True):
    translations = [
        Resolve(("image",), "glance.image"),
        Resolve(("networks", "network"), "neutron.network"),
        Resolve(("pools",), "octavia.pool"),
        Resolve(("owner",)),
    ]


class Cloud:
    """Answers a lookup when `together` lookups have been requested."""

    def __init__(self, together: int = 1) -> None:
        self.asked: list[tuple[str, str]] = []
        self._all = asyncio.Barrier(together)

    async def id_of(self, kind: str, name: str) -> str:
        self.asked.append((kind, name))
        await self._all.wait()
        if name == "missing":
            raise NotFound(f"{name} does not exist", status=404)
        return f"id of {name}"


def resolved(cloud: Cloud, props: dict[str, Any]) -> Any:
    async def limited() -> Any:
        async with asyncio.timeout(30):
            return await with_ids(cloud, Thing, props)  # type: ignore[arg-type]

    return asyncio.run(limited())


def test_names_are_replaced_wherever_a_type_declares_them() -> None:
    props = {"image": "debian", "networks": [{"network": "a", "tag": "debian"}, {"port": "a"}], "size": 3}
    assert resolved(Cloud(), props) == {
        "image": "id of debian",
        "networks": [{"network": "id of a", "tag": "debian"}, {"port": "a"}],
        "size": 3,
    }


def test_names_are_looked_up_at_the_same_time() -> None:
    props = {"image": "debian", "networks": [{"network": "a"}, {"network": "b"}]}
    assert resolved(Cloud(together=3), props)["networks"] == [{"network": "id of a"}, {"network": "id of b"}]


def test_a_name_is_looked_up_once() -> None:
    cloud = Cloud()
    resolved(cloud, {"networks": [{"network": "a"}] * 3})
    assert cloud.asked == [("neutron.network", "a")]


@pytest.mark.parametrize("value", [ID, ID.replace("-", ""), "", None, 7])
def test_what_is_not_a_name_is_kept(value: Any) -> None:
    cloud = Cloud()
    assert resolved(cloud, {"image": value}) == {"image": value}
    assert cloud.asked == []


def test_names_that_the_service_takes_itself_are_kept() -> None:
    cloud = Cloud()
    assert resolved(cloud, {"pools": ["a"], "owner": "b"}) == {"pools": ["a"], "owner": "b"}
    assert cloud.asked == []


def test_a_missing_object_is_an_error() -> None:
    with pytest.raises(NotFound, match="missing"):
        resolved(Cloud(), {"networks": [{"network": "missing"}]})
