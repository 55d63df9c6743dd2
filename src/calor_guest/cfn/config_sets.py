"""Which configs of AWS::CloudFormation::Init are processed, and in which order."""

from typing import Any, Iterator, List, Mapping, Optional, Tuple

from calor_guest.cfn.problems import Problem

_SINGLE = "config"
_DEFAULT = "default"


def selected_configs(section: Mapping[str, Any], selection: Optional[str]) -> List[str]:
    """The names of configs, for config sets whose names are separated by commas. Raises Problem."""
    sets = section.get("configSets")
    if not sets:
        if selection:
            raise Problem("the metadata has no configSets")
        return [_SINGLE]
    if not selection and _DEFAULT not in sets:
        raise Problem("there is no config set named default: select one")
    names = [name.strip() for name in (selection or _DEFAULT).split(",")]
    configs = [config for name in names for config in _expanded(sets, name, ())]
    if not configs:
        raise Problem(f"the config set {', '.join(names)} is empty")
    return configs


def _expanded(sets: Mapping[str, Any], name: Any, above: Tuple[str, ...]) -> Iterator[str]:
    if not isinstance(name, str) or name not in sets:
        raise Problem(f"there is no config set {name}")
    if name in above:
        raise Problem("config sets contain one another: {}".format(", ".join((*above, name))))
    entries = sets[name]
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict) and list(entry) == ["ConfigSet"]:
            yield from _expanded(sets, entry["ConfigSet"], (*above, name))
        else:
            raise Problem(f"the config set {name} has an entry that is neither a config nor a ConfigSet")
