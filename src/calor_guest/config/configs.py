"""The configs of a server, as its metadata lists them."""

import json
import re
from typing import Any, Dict, List, Mapping, Optional

from calor_guest.common.heat_config import CONFIGS_FILE

Config = Dict[str, Any]

ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,199}\Z")
"""What names files."""


def configs_file(environment: Mapping[str, str]) -> str:
    return environment.get("HEAT_SHELL_CONFIG", CONFIGS_FILE)


def read_configs(text: str) -> List[Config]:
    """Raises ValueError."""
    configs = json.loads(text) if text.strip() else []
    if not isinstance(configs, list) or not all(isinstance(one, dict) for one in configs):
        raise ValueError("it is not a list of configs")
    return configs


def inputs_of(config: Mapping[str, Any]) -> Dict[str, Any]:
    return {one["name"]: one.get("value") for one in config.get("inputs") or ()}


def output_names(config: Mapping[str, Any]) -> List[str]:
    return [one["name"] for one in config.get("outputs") or ()]


def prepared(config: Config) -> Optional[Config]:
    """The config as its hook gets it: inputs of type String are text, and of a component only the part for the action.
    None if it has no such part."""
    config = dict(config)
    if config.get("inputs"):
        config["inputs"] = [_with_text(one) for one in config["inputs"]]
    if config.get("group") != "component":
        return config
    action = inputs_of(config).get("deploy_action")
    for part in (config.get("config") or {}).get("configs") or ():
        if action in part["actions"]:
            config["config"] = part["config"]
            config["group"] = part["tool"]
            return config
    return None


def text_of(value: Any) -> str:
    """A value as programs get it: maps and lists as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def _with_text(one: Mapping[str, Any]) -> Dict[str, Any]:
    return dict(one, value=text_of(one.get("value"))) if one.get("type") == "String" else dict(one)
