"""The section services: enables and starts them, with the service manager that the server has."""

import os
from typing import Any, Callable, Iterator, List, Mapping, Tuple

from calor_guest.cfn.host import Host, Outcome, required_name
from calor_guest.cfn.logs import log
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.values import is_true, properties

_SYSTEMCTL = "/bin/systemctl"
_SERVICE = "/sbin/service"
_CHKCONFIG = "/sbin/chkconfig"
_MANAGERS = ("sysvinit", "systemd")


def apply(section: Mapping[str, Any], host: Host) -> None:
    """What a service manager refuses is logged."""
    for name, given in _services(section):
        if "enabled" in given:
            _do("enable" if is_true(given["enabled"]) else "disable", name, host)
        if "ensureRunning" in given:
            wanted = is_true(given["ensureRunning"])
            if wanted != _is_running(name, host):
                _do("start" if wanted else "stop", name, host)


def monitor(section: Mapping[str, Any], host: Host, restarted: Callable[[str], None]) -> None:
    """Starts the services that should run and do not, and reports each."""
    for name, given in _services(section):
        if is_true(given.get("ensureRunning")) and not _is_running(name, host):
            log.warning("restarts the service %s", name)
            _do("start", name, host)
            restarted(name)


def _services(section: Mapping[str, Any]) -> Iterator[Tuple[str, Mapping[str, Any]]]:
    for manager, services in section.items():
        if manager not in _MANAGERS:
            log.warning("services of %s are not supported", manager)
            continue
        for name, given in properties(services).items():
            yield required_name(name, "service"), properties(given)


def _is_running(service: str, host: Host) -> bool:
    return _ran("status", service, host).status == 0


def _do(verb: str, service: str, host: Host) -> None:
    outcome = _ran(verb, service, host)
    if outcome.status != 0:
        log.error("cannot %s the service %s: %s", verb, service, outcome.summary)


def _ran(verb: str, service: str, host: Host) -> Outcome:
    outcome: Outcome = host.run(_command(verb, service))
    if outcome.is_not_run:
        raise Problem(f"cannot {verb} the service {service}: {outcome.summary}")
    return outcome


def _command(verb: str, service: str) -> List[str]:
    if os.path.exists(_SYSTEMCTL):
        return [_SYSTEMCTL, verb, service + ".service"]
    if verb not in ("enable", "disable"):
        program = _SERVICE if os.path.exists(_SERVICE) else "/usr/sbin/service"
        return [program, service, verb]
    if os.path.exists(_CHKCONFIG):
        return [_CHKCONFIG, service, "on" if verb == "enable" else "off"]
    return ["/usr/sbin/update-rc.d", service, verb]
