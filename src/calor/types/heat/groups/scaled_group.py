"""Groups of equal members with random names."""

from __future__ import annotations

from collections.abc import Iterator

from calor.language.values import bare
from calor.resources.context import Context, GroupContext, NestedStack
from calor.resources.contract import ResourceType
from calor.resources.outcomes import NothingToDo, Stage
from calor.resources.values import JsonObject, Properties
from calor.types.heat.groups.member_templates import by_age, current_members, template_of
from calor.types.heat.groups.rolling_updates import Rolling, resized, scaled_stages
from calor.types.heat.groups.sizes import Adjustment, Sizes, cooling, with_cooldown


class ScaledGroup(ResourceType, extends=True):
    """Members keep their names, and as long as nothing changes them, their definitions. When the group
    shrinks, failed members go first, then the oldest."""

    nested_stack = True
    random_member_names = True

    @classmethod
    def sizes(cls, values: Properties) -> Sizes:
        """The size according to the properties, without wrappers."""
        raise NotImplementedError

    @classmethod
    def definition(cls, ctx: GroupContext, values: Properties) -> JsonObject:
        """What each new or changed member is."""
        raise NotImplementedError

    @classmethod
    def rolling(cls, ctx: GroupContext, values: Properties) -> Rolling | None:
        """How a changed definition reaches the members; None if only new ones follow it."""
        raise NotImplementedError

    @classmethod
    def stages(cls, ctx: GroupContext, values: Properties) -> Iterator[Stage]:
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
    async def changed(cls, ctx: Context, values: Properties) -> None:
        """Called when the members may have changed."""

    @classmethod
    async def after_nested_stack(cls, ctx: Context, values: Properties) -> None:
        await cls.changed(ctx, values)

    @classmethod
    def member_count(cls, given: Properties) -> int:
        sizes = cls.sizes(bare(dict(given)))
        return sizes.at_start if isinstance(sizes.at_start, int) else 0

    @classmethod
    def stack_template(cls, ctx: GroupContext, values: Properties) -> JsonObject:
        *_, last = cls.stages(ctx, values)
        return last.template

    @staticmethod
    def member_names(below: NestedStack) -> list[str]:
        """The members that have not failed, the oldest first."""
        return [m.name for m in by_age(below.current.values()) if m.status != "FAILED"]


class AdjustableGroup(ScaledGroup, extends=True):
    """A group that scaling policies change."""

    @classmethod
    def cooldown(cls, values: Properties) -> float:
        raise NotImplementedError

    @classmethod
    async def after_nested_stack(cls, ctx: Context, values: Properties) -> None:
        """The cooldown begins also when the stack's template has brought the group to its size."""
        await super().after_nested_stack(ctx, values)
        size = len(cls.member_names(ctx.nested)) if ctx.nested is not None else 0
        cls._cool_down(ctx, f"ExactCapacity : {size}", cls.cooldown(bare(dict(values))))

    @classmethod
    async def adjust(cls, group: Context, adjustment: Adjustment, cooldown: float | None) -> None:
        """Changes the size according to a policy. Raises NothingToDo when the group is busy, cools down, or has the
        size already."""
        sizes = cls.sizes(group.properties)

        def assemble(now: GroupContext) -> JsonObject:
            present = _size(now)
            size = adjustment.applied(present, sizes)
            if size == present:
                raise NothingToDo("the group has that size already")
            if cooling(now.metadata, group.now()):
                raise NothingToDo("the group cools down")
            return template_of(resized(_present(now), cls.definition(now, now.marked_properties), size))

        if group.status != "COMPLETE":
            raise NothingToDo("the group is busy or has failed")
        await group.read_metadata()
        await group.update_nested(assemble)
        await cls.changed(group, group.properties)
        cls._cool_down(
            group, str(adjustment), cls.cooldown(group.properties) if cooldown is None else cooldown
        )

    @staticmethod
    def _cool_down(ctx: Context, reason: str, seconds: float) -> None:
        ctx.set_metadata(with_cooldown(ctx.metadata, reason, seconds, ctx.now()))


def _present(ctx: GroupContext) -> JsonObject:
    """The members and their definitions, in the order in which they are removed."""
    return {member.name: ctx.nested_definitions[member.name] for member in by_age(current_members(ctx))}


def _size(ctx: GroupContext) -> int:
    return sum(member.status != "FAILED" for member in current_members(ctx))
