"""The section commands: runs them in the order of their names."""

import os
from typing import Any, Dict, Mapping, Optional

from calor_guest.cfn.host import Host
from calor_guest.cfn.logs import log
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.values import is_true, properties


class CommandFailed(Problem):
    """A command failed, and its errors are not ignored."""


def apply(section: Mapping[str, Any], host: Host) -> None:
    """Raises CommandFailed; later commands are not run then."""
    for name in sorted(section):
        _run(name, properties(section[name]), host)


def _run(name: str, given: Mapping[str, Any], host: Host) -> None:
    env = _environment(given.get("env"))
    cwd = None
    if "cwd" in given:
        cwd = os.path.expanduser(str(given["cwd"]))
        if not os.path.exists(cwd):
            log.error("%s is not run: %s does not exist", name, cwd)
            return
    if "command" not in given:
        log.error("%s is not run: it has no command", name)
        return
    if "test" in given and host.run(_command(name, given["test"]), cwd=cwd, env=env).status != 0:
        log.info("%s is not run: its test fails", name)
        return
    outcome = host.run(_command(name, given["command"]), cwd=cwd, env=env)
    log.debug("output of %s: %s%s", name, outcome.stdout, outcome.stderr)
    if outcome.status == 0:
        log.info("%s succeeded", name)
    elif is_true(given.get("ignoreErrors")):
        log.info("%s failed, which is ignored: %s", name, outcome.summary)
    else:
        raise CommandFailed(f"the command {name} failed: {outcome.summary}")


def _command(name: str, command: Any) -> Any:
    if isinstance(command, str):
        return command
    if isinstance(command, list) and command:
        return [str(argument) for argument in command]
    raise Problem(f"the command {name} is neither a text nor a list")


def _environment(env: Any) -> Optional[Dict[str, str]]:
    """All variables of the command; without, it has those of this program."""
    return {name: str(value) for name, value in env.items()} if isinstance(env, dict) else None
