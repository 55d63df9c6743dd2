"""Applies the configs of AWS::CloudFormation::Init to this server."""

from typing import Any, List, Mapping, Optional

from calor_guest.cfn import accounts, commands, files, packages, services, sources
from calor_guest.cfn.config_sets import selected_configs
from calor_guest.cfn.host import Host
from calor_guest.cfn.logs import log
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.values import properties


def apply(init: Mapping[str, Any], selection: Optional[str], host: Host) -> None:
    """Raises Problem. Packages and sources that are not available do not keep the rest from being done."""
    problems: List[str] = []
    for name in selected_configs(init, selection):
        if name not in init:
            raise Problem(f"there is no config {name}; there may be config sets to select from")
        log.debug("applies %s", name)
        problems += _apply(properties(init[name]), host)
    if problems:
        raise Problem("not all packages and sources are there")


def _apply(config: Mapping[str, Any], host: Host) -> List[str]:
    problems = packages.apply(properties(config.get("packages")), host)
    problems += sources.apply(properties(config.get("sources")), host)
    for problem in problems:
        log.error("%s", problem)
    accounts.create_groups(properties(config.get("groups")), host)
    accounts.create_users(properties(config.get("users")), host)
    files.apply(properties(config.get("files")), host)
    commands.apply(properties(config.get("commands")), host)
    services.apply(properties(config.get("services")), host)
    return problems
