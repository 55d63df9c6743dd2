"""Groups of equal members with random names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calor.language.values import bare
from calor.types.base import NestedStackType
from calor.types.behaviour import Context, NothingToDo, StackBelow, Stage
from calor.types.heat.groups import in_order_of_age, standing, template_of
from calor.types.heat.rolling import Rolling, resized, scaled_stages
from calor.types.heat.sizing import Adjustment, Sizes, cooled, cooling


class ScaledGroup(NestedStackType):
    """Members keep their names, and as long as nothing changes them, their definitions. When the group
    shrinks, failed members go first, then the oldest."""

    draws_names = True

    @classmethod
    def sizes(cls, values: Mapping[str, Any]) -> Sizes:
        """What the properties, without wrappers, say of the size."""
        raise NotImplementedError

    @classmethod
    def definition(cls, ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
        """What each new or changed member is."""
        raise NotImplementedError

    @classmethod
    def rolling(cls, ctx: Context, values: Mapping[str, Any]) -> Rolling | None:
        """How a changed definition reaches the members; None if only new ones follow it."""
        raise NotImplementedError

    @classmethod
    def stages(cls, ctx: Context, values: Mapping[str, Any]) -> Iterator[Stage]:
        sizes = cls.sizes(bare(dict(values)))
        definition = cls.definition(ctx, values)
        members = _present(ctx)
        if not members:
            yield Stage(template_of(resized({}, definition, sizes.at_start)))
            return
        yield from scaled_stages(
            members, definition, sizes.wanted, sizes.next(_size(ctx)), cls.rolling(ctx, values), ctx.timeout
        )

    @classmethod
    async def changed(cls, ctx: Context, values: Mapping[str, Any]) -> None:
        """Called when the members may have changed."""

    @classmethod
    async def settled(cls, ctx: Context, values: Mapping[str, Any]) -> None:
        await cls.changed(ctx, values)

    @classmethod
    def member_count(cls, given: Mapping[str, Any]) -> int:
        sizes = cls.sizes(bare(dict(given)))
        return sizes.at_start if isinstance(sizes.at_start, int) else 0

    @classmethod
    def stack_template(cls, ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
        *_, last = cls.stages(ctx, values)
        return last.template

    @staticmethod
    def member_names(below: StackBelow) -> list[str]:
        """The members that have not failed, the oldest first."""
        return [m.name for m in in_order_of_age(below.current.values()) if m.status != "FAILED"]


class AdjustableGroup(ScaledGroup):
    """A group that scaling policies change."""

    @classmethod
    def cooldown(cls, values: Mapping[str, Any]) -> float:
        raise NotImplementedError

    @classmethod
    async def settled(cls, ctx: Context, values: Mapping[str, Any]) -> None:
        """The cooldown begins also when the stack's template has brought the group to its size."""
        await super().settled(ctx, values)
        size = len(cls.member_names(ctx.child)) if ctx.child is not None else 0
        cls._cool_down(ctx, f"ExactCapacity : {size}", cls.cooldown(bare(dict(values))))

    @classmethod
    async def adjust(cls, group: Context, adjustment: Adjustment, cooldown: float | None) -> None:
        """Changes the size as a policy says. Raises NothingToDo when the group is busy, cools down, or has the
        size already."""
        sizes = cls.sizes(group.properties)

        def assemble(group: Context) -> dict[str, Any]:
            present = _size(group)
            size = adjustment.applied(present, sizes)
            if size == present:
                raise NothingToDo("the group has that size already")
            if cooling(group.metadata, group.now()):
                raise NothingToDo("the group cools down")
            return template_of(resized(_present(group), cls.definition(group, group.properties), size))

        if group.status != "COMPLETE":
            raise NothingToDo("the group is busy or has failed")
        await group.fresh_metadata()
        await group.change_below(assemble)
        await cls.changed(group, group.properties)
        cls._cool_down(
            group, str(adjustment), cls.cooldown(group.properties) if cooldown is None else cooldown
        )

    @staticmethod
    def _cool_down(ctx: Context, reason: str, seconds: float) -> None:
        ctx.set_metadata(cooled(ctx.metadata, reason, seconds, ctx.now()))


def _present(ctx: Context) -> dict[str, Any]:
    """The members and their definitions, those to give up first at the beginning."""
    return {member.name: ctx.below[member.name] for member in in_order_of_age(standing(ctx))}


def _size(ctx: Context) -> int:
    return sum(member.status != "FAILED" for member in standing(ctx))
