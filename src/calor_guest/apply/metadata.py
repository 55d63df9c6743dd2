"""The metadata of the server: several files of JSON, merged."""

import json
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

from calor_guest.apply.errors import ApplyError
from calor_guest.common import files

LIST = "/var/lib/os-collect-config/os_config_files.json"
OLD_LIST = "/var/run/os-collect-config/os_config_files.json"
FALLBACK = (
    "/var/cache/heat-cfntools/last_metadata",
    "/var/lib/heat-cfntools/cfn-init-data",
    "/var/lib/cloud/data/cfn-init-data",
)


def paths(environment: Mapping[str, str], list_path: str) -> List[str]:
    """The files that the environment names, or else the list that os-collect-config keeps."""
    if "OS_CONFIG_FILES" in environment:
        return environment["OS_CONFIG_FILES"].split(":")
    return listed(list_path) or (listed(OLD_LIST) if list_path == LIST else [])


def default_list(environment: Mapping[str, str]) -> str:
    return environment.get("OS_CONFIG_FILES_PATH", LIST)


def listed(path: str) -> List[str]:
    """Empty if there is no such file. Raises ValueError."""
    found = files.read_json(path)
    if found is None:
        return []
    if not isinstance(found, list):
        raise ValueError(f"{path} does not hold a list of paths")
    return found


def load(metadata: Sequence[str], fallback: Sequence[str] = FALLBACK) -> Dict[str, Any]:
    """Raises ApplyError."""
    return merged(parsed(path, text) for path, text in texts([*fallback, *metadata]))


def texts(names: Iterable[str]) -> Iterator[Any]:
    """The paths that exist, with what is in them."""
    for path in names:
        if not path or not os.path.exists(path):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                yield path, file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise ApplyError(f"{path} cannot be read: {error}") from error


def parsed(path: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ApplyError(f"{path} is not JSON: {error}") from error


def merged(values: Iterable[Any]) -> Dict[str, Any]:
    """Maps are merged at every depth; anything else is replaced by what comes later."""
    result: Dict[str, Any] = {}
    for value in values:
        if isinstance(value, dict):
            result = _merge(result, value)
    return result


def _merge(below: Dict[str, Any], above: Mapping[str, Any]) -> Dict[str, Any]:
    result = dict(below)
    for name, value in above.items():
        old = result.get(name)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[name] = _merge(old, value) if both else value  # type: ignore[arg-type]
    return result


def value_at(metadata: Any, key: str) -> Any:
    """What is at a path such as `a.b.0`, or None."""
    value = metadata
    for part in key.split("."):
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def part_of(metadata: Dict[str, Any], key: Optional[str]) -> Dict[str, Any]:
    """The map at a path such as `a.b`. Raises ApplyError."""
    value: Any = metadata
    for part in key.split(".") if key else ():
        value = value.get(part) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        raise ApplyError(f"the metadata has no map at {key}")
    return value
