"""The sections groups and users. Accounts that exist stay as they are."""

from typing import Any, List, Mapping

from calor_guest.cfn.host import Command, Host, required_name
from calor_guest.cfn.logs import log
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.values import properties

_EXISTS = 9
_REASONS = {
    2: "the options are not valid",
    3: "a value is not valid",
    4: "the id belongs to another one",
    6: "a group does not exist",
}
_NO_LOGIN = "/sbin/nologin"


def create_groups(section: Mapping[str, Any], host: Host) -> None:
    """What cannot be created is logged."""
    for name, value in section.items():
        gid = properties(value).get("gid")
        command = ["groupadd", required_name(name, "group")]
        _create("group", name, command + ([] if gid is None else ["--gid", str(gid)]), host)


def create_users(section: Mapping[str, Any], host: Host) -> None:
    """What cannot be created is logged. The users cannot log in."""
    for name, value in section.items():
        given = properties(value)
        command = ["useradd", required_name(name, "user")]
        for key, option in (("uid", "--uid"), ("homeDir", "--home")):
            if given.get(key) is not None:
                command += [option, str(given[key])]
        if "groups" in given:
            command += ["--groups", ",".join(_listed(given["groups"]))]
        _create("user", name, [*command, "--shell", _NO_LOGIN], host)


def _listed(groups: Any) -> List[str]:
    return [str(group) for group in groups] if isinstance(groups, list) else [str(groups)]


def _create(what: str, name: str, command: Command, host: Host) -> None:
    outcome = host.run(command)
    if outcome.status == 0:
        log.info("the %s %s is created", what, name)
    elif outcome.status == _EXISTS:
        log.info("the %s %s exists", what, name)
    elif outcome.is_not_run:
        raise Problem(f"the {what} {name} is not created: {outcome.summary}")
    else:
        reason = _REASONS.get(outcome.status, f"exit code {outcome.status}")
        log.error("the %s %s is not created: %s: %s", what, name, reason, outcome.summary)
