"""The section packages: installs them with the package managers of the server."""

import os
import tempfile
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from calor_guest.cfn import rpm_versions
from calor_guest.cfn.host import Command, Host, Outcome, required_name
from calor_guest.cfn.logs import log
from calor_guest.cfn.problems import Problem

_FIRST = ("dpkg", "rpm", "apt", "yum", "dnf")
Packages = Mapping[str, Any]
"""The versions by the names of packages: none, one or a list."""


class _Repositories(NamedTuple):
    """The commands of a manager of RPM packages, which names are added to."""

    is_available: List[str]
    install: List[str]
    downgrade: List[str]


_YUM = _Repositories(
    ["yum", "-y", "--showduplicates", "list", "available"],
    ["yum", "-y", "install"],
    ["yum", "-y", "downgrade"],
)
_DNF = _Repositories(
    ["dnf", "-y", "--showduplicates", "list", "available"],
    ["dnf", "-y", "--best", "install"],
    ["dnf", "-y", "downgrade"],
)
_ZYPPER = _Repositories(
    ["zypper", "-n", "--no-refresh", "search"],
    ["zypper", "-n", "install"],
    ["zypper", "-n", "install", "--oldpackage"],
)


def apply(section: Mapping[str, Packages], host: Host) -> List[str]:
    """Returns what could not be done. One package manager does not keep the others from their work."""
    problems = []
    for manager in sorted(section, key=_rank):
        try:
            install = _MANAGERS.get(manager)
            if install is None:
                raise Problem("this package manager is not supported")
            packages = section[manager] or {}
            for name in packages:
                required_name(name, "package")
            if packages:
                install(packages, host)
        except Problem as problem:
            problems.append(f"packages of {manager} are not installed: {problem}")
    return problems


def _rank(manager: str) -> Any:
    return (_FIRST.index(manager), "") if manager in _FIRST else (len(_FIRST), manager.lower())


def _apt(packages: Packages, host: Host) -> None:
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    _succeed(host, ["apt-get", "-y", "install", *packages], environment)


def _yum(packages: Packages, host: Host) -> None:
    """Newer systems have dnf instead."""
    _from_repositories(_YUM if host.has_program("yum") else _DNF, packages, host)


def _dnf(packages: Packages, host: Host) -> None:
    _from_repositories(_DNF, packages, host)


def _zypper(packages: Packages, host: Host) -> None:
    _from_repositories(_ZYPPER, packages, host)


def _from_repositories(manager: _Repositories, packages: Packages, host: Host) -> None:
    """Installs what is missing, and changes versions to the newest of the given ones."""
    missing = []
    installs, downgrades = [], []
    for name, versions in packages.items():
        wanted = rpm_versions.newest(versions)
        package = f"{name}-{wanted}" if wanted else name
        if _ran(host, ["rpm", "-q", package]).status == 0:
            continue
        if _ran(host, [*manager.is_available, package]).status != 0:
            missing.append(package)
        elif wanted and _is_newer_installed(name, wanted, host):
            downgrades.append(package)
        else:
            installs.append(package)
    if installs:
        _succeed(host, manager.install + installs)
    if downgrades:
        _succeed(host, manager.downgrade + downgrades)
    if missing:
        raise Problem("{} does not have {}".format(manager.install[0], ", ".join(missing)))


def _is_newer_installed(name: str, wanted: str, host: Host) -> bool:
    found = _ran(host, ["rpm", "-q", "--queryformat", "%{VERSION}-%{RELEASE}", name])
    return found.status == 0 and rpm_versions.compare(found.stdout.strip(), wanted) > 0


def _rpm(packages: Packages, host: Host) -> None:
    """RPM downloads by itself."""
    _succeed(host, ["rpm", "-U", "--force", *(_url(name, packages[name]) for name in packages)])


def _dpkg(packages: Packages, host: Host) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, name in enumerate(packages):
            paths.append(os.path.join(folder, f"{number}.deb"))
            with open(paths[-1], "wb") as file:
                host.download(_url(name, packages[name]), file)
        _succeed(host, ["dpkg", "-i", *paths])


def _rubygems(packages: Packages, host: Host) -> None:
    for name in packages:
        version = _first_version(packages[name])
        _succeed(host, ["gem", "install", "-b", *(["--version", version] if version else []), name])


def _python(packages: Packages, host: Host) -> None:
    if host.has_program("easy_install"):
        for name in packages:
            _succeed(host, ["easy_install", name])
        return
    for name in packages:
        version = _first_version(packages[name])
        _succeed(host, ["python3", "-m", "pip", "install", f"{name}=={version}" if version else name])


def _first_version(versions: Any) -> Optional[str]:
    found = versions[0] if isinstance(versions, list) and versions else versions
    return str(found) if found else None


def _url(name: str, url: Any) -> str:
    found = url[0] if isinstance(url, list) and url else url
    if not isinstance(found, str) or not found:
        raise Problem(f"{name} has no URL")
    return required_name(found, "package")


def _succeed(host: Host, command: Command, env: Optional[Dict[str, str]] = None) -> None:
    log.info("runs %s", command)
    outcome = _ran(host, command, env)
    if outcome.status != 0:
        raise Problem(f"{command[0]} failed: {outcome.summary}")


def _ran(host: Host, command: Command, env: Optional[Dict[str, str]] = None) -> Outcome:
    """Raises Problem if there is no such program."""
    outcome = host.run(command, env=env)
    if outcome.is_not_run:
        raise Problem(outcome.summary)
    return outcome


_MANAGERS: Dict[str, Callable[[Packages, Host], None]] = {
    "dpkg": _dpkg,
    "rpm": _rpm,
    "apt": _apt,
    "yum": _yum,
    "dnf": _dnf,
    "zypper": _zypper,
    "rubygems": _rubygems,
    "python": _python,
}
