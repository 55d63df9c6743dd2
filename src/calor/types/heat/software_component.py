from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import length
from calor.language.schema import Problem, Property, supported
from calor.types.heat.configs import INPUTS, OUTPUTS, ConfigType
from calor.types.heat.deriving import COMPONENT


@dataclass(frozen=True, slots=True)
class OneConfigPerAction:
    """No two configurations claim the same action: their order would be undefined."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
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
    def content(cls, props: Mapping[str, Any]) -> dict[str, Any]:
        """The group tells deployments and agents that there is a configuration for each action."""
        rest = {name: value for name, value in props.items() if name != "configs"}
        return {**rest, "group": COMPONENT, "config": {"configs": props["configs"]}}
