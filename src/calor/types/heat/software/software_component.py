from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.constraints import length
from calor.language.schema import Problem, Property, supported
from calor.resources.values import JsonObject, Properties
from calor.types.heat.software.config_base import INPUTS, OUTPUTS, ConfigType
from calor.types.heat.software.derived_config import COMPONENT


@dataclass(frozen=True, slots=True)
class OneConfigPerAction:
    """No two configurations claim the same action: their order would be undefined."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        configs = given.get("configs")
        claimed: set[str] = set()
        for index, config in enumerate(configs if isinstance(configs, list) else ()):
            actions = config.get("actions") if isinstance(config, dict) else None
            own = (
                {action for action in actions if isinstance(action, str)}
                if isinstance(actions, list)
                else set()
            )
            for action in sorted(own & claimed):
                message = f"another configuration is for the action {action} already"
                yield Problem("StackValidationFailed", message, ("configs", index, "actions"))
            claimed |= own


class SoftwareComponent(ConfigType):
    type_name = "OS::Heat::SoftwareComponent"
    support = supported("2014.2")
    properties = {
        "configs": Property(
            list,
            required=True,
            constraints=[length(min=1)],
            items=Property(
                dict,
                fields={
                    "actions": Property(
                        list, default=["CREATE", "UPDATE"], constraints=[length(min=1)], items=Property(str)
                    ),
                    "config": Property(str),
                    "tool": Property(str, required=True),
                },
            ),
        ),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "options": Property(dict),
    }
    rules = [OneConfigPerAction()]

    @classmethod
    def content(cls, props: Properties) -> JsonObject:
        """The group for configurations with a part for each action."""
        rest = {name: value for name, value in props.items() if name != "configs"}
        return {**rest, "group": COMPONENT, "config": {"configs": props["configs"]}}
