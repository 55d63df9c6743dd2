from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

from calor.language.constraints import length, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.language.values import Secret, bare
from calor.resources.context import GroupContext, NestedStackView
from calor.resources.contract import ResourceType
from calor.resources.outcomes import Stage
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.heat.common import BATCH, ROLLING_BATCH
from calor.types.heat.groups.member_templates import current_members, named_attribute, template_of, unwrap_map
from calor.types.heat.groups.rolling_updates import Rolling, named_stages, outdated


class ResourceGroup(ResourceType):
    """A number of equal resources, distinguished by an index.

    The members are called `0`, `1` and so on, and the index can be part of their properties, so that each has
    its own name. Any type can be a member, also a template of your own. For a number that changes with the
    load, use OS::Heat::AutoScalingGroup.
    """

    nested_stack = True
    type_name = "OS::Heat::ResourceGroup"
    support = supported("2014.1")
    adopted_data = ("removed",)
    properties = {
        "count": Property(
            int,
            "How many members there are. With 0 the group is empty, and the definition of its members is "
            "not even checked: a way to switch a part of a template off.",
            default=1,
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
        "index_var": Property(
            str,
            "The placeholder for a member's index in the properties of resource_def. Choose another if "
            "the default has a different meaning there.",
            default="%index%",
            constraints=[length(min=3)],
            support=supported("2014.2"),
        ),
        "resource_def": Property(
            dict,
            "What each member is.",
            required=True,
            update_allowed=True,
            fields={
                "type": Property(
                    str,
                    "The type of every member: one of the built-in types, a name from the resource registry "
                    "or the file of a template.",
                    required=True,
                ),
                "properties": Property(
                    dict,
                    "The properties of every member. The index replaces index_var in all text values, "
                    "however deep, but not in keys. Properties that are null count as not given.",
                ),
                "metadata": Property(
                    dict,
                    "The metadata of every member. The index is not put in here.",
                    support=supported("5.0.0"),
                ),
            },
        ),
        "removal_policies": Property(
            list,
            "Members to remove when the group is next updated. Their indices are never used again; new "
            "members with higher ones fill the group up to its count.",
            default=[],
            update_allowed=True,
            support=supported("2015.1"),
            items=Property(
                dict,
                fields={
                    "resource_list": Property(
                        list, "The members, each by its index, its name or its id.", default=[]
                    ),
                },
            ),
        ),
        "removal_policies_mode": Property(
            str,
            "Whether removal_policies adds to the members removed earlier (append) or replaces that list "
            "(update), so that their indices may come back.",
            default="append",
            update_allowed=True,
            constraints=[one_of("append", "update")],
            support=supported("10.0.0"),
        ),
    }
    attributes = {
        "refs": Attribute(list, "The ids of the members, in the order of their indices."),
        "refs_map": Attribute(dict, "The ids of the members, by name.", support=supported("7.0.0")),
        "attributes": Attribute(
            dict,
            "An attribute of all members, by the members' names. Needs a path: `[group, attributes, name]`.",
            support=supported("2014.2"),
        ),
        "removed_rsrc_list": Attribute(
            list, "The names given up by removal_policies so far.", support=supported("7.0.0")
        ),
        "show": SHOW,
    }
    member_properties = {"resource_def": 2}
    update_policy = {
        "rolling_update": Property(
            dict,
            "How a changed resource_def reaches the members. By default, all are updated at once.",
            support=supported("5.0.0"),
            fields=ROLLING_BATCH,
        ),
        "batch_create": Property(
            dict,
            "Creates the members in batches. By default, all are created at once.",
            support=supported("5.0.0"),
            fields=BATCH,
        ),
    }

    @classmethod
    def member_count(cls, given: Properties) -> int:
        count = bare(given["count"])
        return count if isinstance(count, int) else 0

    @classmethod
    def child_template(cls, given: Properties) -> JsonObject | None:
        """One member represents all: the others differ only in the index."""
        definition = unwrap_map(given["resource_def"])
        if not isinstance(definition, dict) or not isinstance(definition.get("type"), str):
            return None
        if bare(given["count"]) == 0:
            return template_of({})
        name = next(_names(set(map(str, _given_up(given["removal_policies"])))))
        return template_of({name: _member(definition, str(bare(given["index_var"])), name)})

    @classmethod
    def member_place(cls, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        return ("resource_def", *path)

    @classmethod
    def stages(cls, ctx: GroupContext, values: Properties) -> Iterator[Stage]:
        removed = _removed(ctx, values["removal_policies"], bare(values["removal_policies_mode"]))
        ctx.set_data(removed=sorted(removed))
        definition = _without_nulls(unwrap_map(values["resource_def"]))
        variable = str(bare(values["index_var"]))

        def define(name: str) -> JsonObject:
            return _member(definition, variable, name)

        members = {
            member.name: ctx.nested_definitions[member.name]
            for member in current_members(ctx)
            if member.name not in removed
        }
        return named_stages(
            members,
            define,
            lambda size: list(islice(_names(removed), size)),
            bare(values["count"]),
            _rolling(ctx, bool(outdated(members, define))),
            ctx.timeout,
        )

    @classmethod
    def stack_template(cls, ctx: GroupContext, values: Properties) -> JsonObject:
        *_, last = cls.stages(ctx, values)
        return last.template

    @classmethod
    def member_attribute(cls, ctx: NestedStackView, name: str, path: Sequence[Any]) -> Any:
        if name == "removed_rsrc_list":
            return ctx.data.get("removed", [])
        if ctx.nested is None:
            return None
        return named_attribute(ctx.nested, sorted(ctx.nested.current, key=int), name, path)


def _rolling(ctx: GroupContext, changes: bool) -> Rolling | None:
    """Batches are for the creation and for changes of what there is; a group grows and shrinks at once."""
    if ctx.action == "CREATE":
        return Rolling.of(ctx.update_policy.get("batch_create"))
    return Rolling.of(ctx.update_policy.get("rolling_update")) if changes else None


def _removed(ctx: GroupContext, policies: Any, mode: str) -> set[str]:
    """The names that are not used, now and later: those given up by name, index or id."""
    before = set(ctx.data.get("removed", ()))
    names = {member.name for member in ctx.members}
    by_id = {member.reference or member.physical_id: member.name for member in ctx.members}
    given_up: set[str] = set() if mode == "update" else set(before)
    for item in _given_up(policies):
        name = str(item)
        if name in before or name in names or ctx.action == "CREATE":
            given_up.add(name)
        elif isinstance(item, str) and item in by_id:
            given_up.add(by_id[item])
    return given_up


def _given_up(policies: Any) -> list[Any]:
    return [
        item
        for policy in _items(bare(policies))
        if isinstance(policy, dict)
        for item in _items(policy.get("resource_list"))
    ]


def _names(removed: set[str]) -> Iterator[str]:
    return (str(index) for index in count() if str(index) not in removed)


def _member(definition: JsonMapping, variable: str, name: str) -> JsonObject:
    member = {key: value for key, value in definition.items() if value is not None}
    if "properties" in member:
        member["properties"] = _numbered(unwrap_map(member["properties"]), variable, name)
    return member


def _without_nulls(definition: JsonMapping) -> JsonObject:
    properties = unwrap_map(definition.get("properties"))
    if not isinstance(properties, dict):
        return dict(definition)
    given = {key: value for key, value in properties.items() if value is not None}
    return {**definition, "properties": given}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _numbered(value: Any, variable: str, index: str) -> Any:
    if isinstance(value, str):
        return value.replace(variable, index)
    if isinstance(value, dict):
        return {key: _numbered(item, variable, index) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbered(item, variable, index) for item in value]
    if isinstance(value, Secret):
        numbered = _numbered(value.reveal(), variable, index)
        return value if numbered == value.reveal() else Secret(numbered)
    return value
