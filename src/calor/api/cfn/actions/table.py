"""The actions by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from calor.api.cfn.actions import events, resources, stacks, templates
from calor.api.cfn.actions.call import Handler

Work = Literal["", "preview", "change"]


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    handler: Handler
    work: Work = ""
    """Whether it evaluates a template, and what comes of it: these are limited for each project."""

    @property
    def rule(self) -> str:
        return f"cloudformation:{self.name}"


ACTIONS: Mapping[str, Action] = {
    action.name: action
    for action in (
        Action("ListStacks", stacks.list_stacks),
        Action("DescribeStacks", stacks.describe_stacks),
        Action("CreateStack", stacks.create_stack, "change"),
        Action("UpdateStack", stacks.update_stack, "change"),
        Action("CancelUpdateStack", stacks.cancel_update_stack),
        Action("DeleteStack", stacks.delete_stack),
        Action("GetTemplate", templates.get_template),
        Action("ValidateTemplate", templates.validate_template, "preview"),
        Action("EstimateTemplateCost", templates.estimate_template_cost, "preview"),
        Action("DescribeStackEvents", events.describe_stack_events),
        Action("DescribeStackResource", resources.describe_stack_resource),
        Action("DescribeStackResources", resources.describe_stack_resources),
        Action("ListStackResources", resources.list_stack_resources),
    )
}
