"""Resource types are tested as engines run them, without one."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from calor.clouds.errors import NotFound
from calor.language.constraints import range_
from calor.language.schema import Requires
from calor.resources import (
    Attribute,
    Context,
    NeedsReplacement,
    NothingToDo,
    Property,
    Replace,
    ResourceFailed,
    ResourceType,
)
from calor.testing import FakeCloud, FakeContext, InvalidProperties, Resource, resource
from calor.types.heat.groups.resource_group import ResourceGroup
from calor.types.heat.random_string import RandomString

Props = dict[str, Any]


class Kettle(ResourceType):
    type_name = "Acme::Kitchen::Kettle"
    properties = {
        "litres": Property(float, required=True, constraints=[range_(0.1, 5)]),
        "celsius": Property(int, default=95, update_allowed=True),
        "colour": Property(str, update_allowed=True),
        "serial": Property(str, immutable=True),
        "lid": Property(str),
        "hinge": Property(str),
    }
    translations = [Replace(("celsius",), source=("temperature",))]
    rules = [Requires("lid", "hinge")]
    attributes = {"steam": Attribute(bool)}

    @classmethod
    async def create(cls, ctx: Context, props: Props) -> None:
        cloud = await ctx.cloud()
        kettle = await cloud.create("kitchen", "kettles", body={"kettle": {"name": ctx.physical_name()}})
        ctx.set_physical_id(kettle["id"])
        ctx.set_data(delivered=True)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud, name = await ctx.cloud(), ctx.physical_name()
        for kettle in await cloud.list_all("kitchen", "kettles", key="kettles", params={"name": name}):
            ctx.set_physical_id(kettle["id"])
            ctx.set_data(delivered=True)
            return True
        return False

    @classmethod
    def update(cls, ctx: Context, props: Props, changed: frozenset[str]) -> None:
        if props["colour"] == "gold":
            raise NeedsReplacement
        if props["celsius"] > 100:
            raise ResourceFailed("Water does not get hotter than that.")
        ctx.set_data(changed=changed)

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        with suppress(NotFound):
            await (await ctx.cloud()).request("kitchen", "DELETE", "kettles", str(ctx.physical_id))

    @classmethod
    async def check(cls, ctx: Context) -> None:
        if await (await ctx.cloud()).show("kitchen", "kettles", str(ctx.physical_id)) is None:
            raise ResourceFailed("The kettle is gone.")

    @classmethod
    def suspend(cls, ctx: Context) -> None:
        ctx.set_data(on=False)

    @classmethod
    async def resume(cls, ctx: Context) -> None:
        ctx.set_data(on=True)

    @classmethod
    async def snapshot(cls, ctx: Context) -> dict[str, Any]:
        return {"picture": ctx.physical_id}

    @classmethod
    def signal(cls, ctx: Context, details: Any) -> str:
        if details is None:
            raise NothingToDo("there is nothing in it")
        return f"heard {details}"

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        return ctx.properties["celsius"] >= 100


class Forgetful(Kettle):
    """Finds nothing again."""

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        return False


class Confused(Kettle):
    """Finds what it has not made."""

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        ctx.set_physical_id("another")
        return True


class Sturdy(Kettle):
    """May be well although an action failed."""

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        return ctx.physical_id == "kettles-1"


def created(kind: type[ResourceType] = Kettle, **given: Any) -> Resource:
    kettle = resource(kind, **{"litres": 1.5, **given})
    kettle.create()
    return kettle


class TestProperties:
    def test_are_converted_translated_and_completed(self) -> None:
        kettle = resource(Kettle, litres="1.5", temperature="80")

        assert (kettle.context.properties["litres"], kettle.context.properties["celsius"]) == (1.5, 80)
        assert kettle.context.properties["colour"] is None

    def test_all_problems_are_reported_at_once(self) -> None:
        with pytest.raises(InvalidProperties) as raised:
            resource(Kettle, litres=9, celcius=80)

        assert [found.code for found in raised.value.diagnostics] == ["E410", "E415"]
        assert "properties.litres: 9 is out of range" in str(raised.value)
        assert "did you mean `celsius`?" in str(raised.value)

    def test_rules_hold(self) -> None:
        with pytest.raises(InvalidProperties, match="lid requires hinge"):
            resource(Kettle, litres=1, lid="glass")

    def test_hold_for_updates_as_well(self) -> None:
        kettle = created()

        with pytest.raises(InvalidProperties, match="celsius"):
            kettle.update(celsius="hot")
        assert kettle.state == "CREATE_COMPLETE"


def test_a_resource_is_created_updated_and_deleted() -> None:
    kettle = created()
    assert (kettle.state, kettle.reference, kettle.attribute("steam")) == (
        "CREATE_COMPLETE",
        "kettles-1",
        False,
    )

    kettle.update(celsius=100)
    assert (kettle.state, kettle.attribute("steam")) == ("UPDATE_COMPLETE", True)
    kettle.update(celsius=None)
    assert kettle.attribute("steam") is False

    kettle.delete()
    kettle.delete()
    assert (kettle.state, kettle.cloud.objects) == ("DELETE_COMPLETE", {})


def test_two_resources_are_not_the_same() -> None:
    cloud = FakeCloud()
    kettles = [resource(Kettle, FakeContext(services=cloud), litres=1) for _ in range(2)]
    for kettle in kettles:
        kettle.create()

    assert len({kettle.context.physical_name() for kettle in kettles}) == len(cloud.objects) == 2


def test_an_attribute_that_is_not_declared_is_reported() -> None:
    with pytest.raises(AssertionError, match=r"no attribute `steem`; did you mean `steam`\?"):
        created().attribute("steem")


class TestUpdates:
    def test_what_does_not_change_is_left_alone(self) -> None:
        kettle = created()
        kettle.update(celsius=95)

        assert kettle.state == "CREATE_COMPLETE"

    def test_what_cannot_be_changed_in_place_is_replaced(self) -> None:
        kettle = created()
        with pytest.raises(AssertionError, match="replaces the resource: litres cannot be changed in place"):
            kettle.update(litres=2)
        before = kettle.context

        kettle.replace(litres=2)

        assert kettle.context.id != before.id
        assert [request.method for request in kettle.cloud.requests] == ["POST", "POST", "DELETE"]
        assert list(kettle.cloud.objects) == [f"/kettles/{kettle.reference}"]
        assert (before.action, kettle.state) == ("DELETE", "CREATE_COMPLETE")

    def test_a_type_may_demand_its_replacement(self) -> None:
        kettle = created()
        with pytest.raises(AssertionError, match="NeedsReplacement"):
            kettle.update(colour="gold")

        kettle.replace(colour="gold")

        assert kettle.context.properties["colour"] == "gold"

    def test_what_is_changed_in_place_is_not_replaced(self) -> None:
        with pytest.raises(AssertionError, match="this change is made in place"):
            created().replace(celsius=80)

    def test_what_is_immutable_is_refused(self) -> None:
        kettle = created(serial="1")

        with pytest.raises(ResourceFailed, match="serial cannot be changed"):
            kettle.update(serial="2")
        assert kettle.state == "CREATE_COMPLETE"

    def test_a_failed_resource_is_replaced(self) -> None:
        kettle = created()
        with pytest.raises(ResourceFailed, match="hotter"):
            kettle.update(celsius=200)
        assert (kettle.state, kettle.context.properties["celsius"]) == ("UPDATE_FAILED", 95)

        with pytest.raises(AssertionError, match="UPDATE_FAILED"):
            kettle.update(celsius=90)
        kettle.replace(celsius=90)

    def test_a_failed_resource_that_is_healthy_is_kept_and_updated_again(self) -> None:
        kettle = created(Sturdy)
        with pytest.raises(ResourceFailed):
            kettle.update(celsius=200)

        kettle.update(colour="red")

        assert kettle.context.data["changed"] == {"celsius", "colour"}


class TestCrashes:
    def test_what_was_made_is_found_again_and_made_once(self) -> None:
        kettle = resource(Kettle, litres=1)
        kettle.crash_during_create()
        assert (kettle.state, kettle.context.physical_id) == ("CREATE_IN_PROGRESS", None)
        assert kettle.context.data == {}

        kettle.create()

        assert (kettle.state, kettle.reference) == ("CREATE_COMPLETE", "kettles-1")
        assert kettle.context.data == {"delivered": True}
        assert len(kettle.cloud.objects) == 1

    def test_what_was_made_is_found_to_be_deleted(self) -> None:
        kettle = resource(Kettle, litres=1)
        kettle.crash_during_create()
        kettle.delete()

        assert kettle.cloud.objects == {}

    @pytest.mark.parametrize(
        ("kind", "problem"),
        [(Forgetful, "created twice"), (Confused, "made 'kettles-1', but `find` found 'another'")],
    )
    def test_a_type_that_does_not_find_it_is_reported(self, kind: type[ResourceType], problem: str) -> None:
        kettle = resource(kind, litres=1)
        kettle.crash_during_create()

        with pytest.raises(AssertionError, match=problem):
            kettle.create()

    def test_a_type_that_would_leave_it_behind_is_reported(self) -> None:
        kettle = resource(Forgetful, litres=1)
        kettle.crash_during_create()

        with pytest.raises(AssertionError, match="left behind"):
            kettle.delete()

    def test_a_type_without_find_is_asked_to_create_again(self) -> None:
        text = resource(RandomString, length=8)
        text.crash_during_create()
        assert text.context.physical_id is not None

        text.create()

        assert (text.state, len(text.attribute("value"))) == ("CREATE_COMPLETE", 8)


class TestOtherActions:
    def test_a_check_fails_when_the_object_is_gone(self) -> None:
        kettle = created()
        kettle.check()
        assert kettle.state == "CHECK_COMPLETE"
        kettle.cloud.objects.clear()

        with pytest.raises(ResourceFailed, match="gone"):
            kettle.check()
        assert kettle.state == "CHECK_FAILED"

    def test_only_what_is_suspended_is_resumed(self) -> None:
        kettle = created()
        with pytest.raises(AssertionError, match="state CREATE_COMPLETE is invalid for resume"):
            kettle.resume()
        kettle.suspend()
        assert kettle.context.data["on"] is False
        kettle.resume()
        assert (kettle.state, kettle.context.data["on"]) == ("RESUME_COMPLETE", True)

    def test_signals_give_a_reason_or_are_ignored(self) -> None:
        kettle = created()

        assert kettle.signal("steam") == "heard steam"
        with pytest.raises(NothingToDo):
            kettle.signal()
        kettle.suspend()
        with pytest.raises(AssertionError, match="SUSPEND_COMPLETE"):
            kettle.signal("steam")

    def test_a_snapshot_shows_its_identity(self) -> None:
        assert created().snapshot() == {"picture": "kettles-1"}

    def test_a_resource_is_created_before_anything_else_and_once(self) -> None:
        kettle = resource(Kettle, litres=1)
        for act in (kettle.check, kettle.update, kettle.delete, kettle.suspend):
            with pytest.raises(AssertionError, match="INIT_COMPLETE"):
                act()
        kettle.create()
        with pytest.raises(AssertionError, match="CREATE_COMPLETE is invalid for create"):
            kettle.create()

    def test_groups_need_an_engine(self) -> None:
        with pytest.raises(TypeError, match="OS::Heat::ResourceGroup"):
            resource(ResourceGroup)
