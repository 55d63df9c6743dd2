"""Running programs on this server, as root or as another user."""

import os
import pwd
import shutil
import subprocess
import tempfile
from typing import IO, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union

from calor_guest.cfn.downloads import download
from calor_guest.cfn.problems import Problem

Command = Union[str, List[str]]
"""A string is for the shell; a list is a program and its arguments."""

CANNOT_RUN = 126
NOT_FOUND = 127
_SHOWN = 16 << 10


class Outcome(NamedTuple):
    status: int
    stdout: str = ""
    stderr: str = ""

    @property
    def is_not_run(self) -> bool:
        """There is no such program, or it cannot be started."""
        return self.status in (CANNOT_RUN, NOT_FOUND)

    @property
    def summary(self) -> str:
        """The end of its output, for a message."""
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()[-3:]
        return "; ".join(line.strip() for line in lines) or f"exit code {self.status}"


class Host(NamedTuple):
    """How a configuration acts on the server."""

    run: Callable[..., Outcome]
    """As `run` below."""
    has_program: Callable[[str], bool]
    download: Callable[[str, Any], None]
    """Writes what a URL has into an open file. Raises Problem."""


def run(
    command: Command,
    user: str = "root",
    cwd: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
) -> Outcome:
    """Waits for a program; not for others that it leaves behind, even if these keep its output open."""
    try:
        become, env = _user_change(user, env)
    except (KeyError, PermissionError) as error:
        return Outcome(CANNOT_RUN, "", f"cannot run commands as {user}: {error}")
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                cwd=cwd,
                env=env,
                shell=isinstance(command, str),
                preexec_fn=become,
            )
        except FileNotFoundError:
            missing = command if isinstance(command, str) else command[0]
            return Outcome(NOT_FOUND, "", f"{missing} is not installed")
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return Outcome(CANNOT_RUN, "", str(error))
        status = process.wait()
        return Outcome(status, _end_of(stdout), _end_of(stderr))


def existing_program(name: str) -> bool:
    return shutil.which(name) is not None


def required_name(text: Any, what: str) -> str:
    """A name that programs do not take for an option. Raises Problem."""
    if not isinstance(text, str) or not text or text.startswith("-"):
        raise Problem(f"{text!r} is not the name of a {what}")
    return text


def _user_change(user: str, env: Optional[Mapping[str, str]]) -> Any:
    """What a new process calls to become the user, and its environment. Raises KeyError and PermissionError."""
    entry = pwd.getpwnam(user)
    if entry.pw_uid == os.geteuid():
        return None, env
    if user == "root":
        # Tools that are tried out by an ordinary user.
        return None, env
    if os.geteuid() != 0:
        raise PermissionError("only root can change the user")
    groups = os.getgrouplist(user, entry.pw_gid)

    def become() -> None:
        os.setgroups(groups)
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)

    variables: Dict[str, str] = dict(os.environ if env is None else env)
    variables.update(HOME=entry.pw_dir, USER=user, LOGNAME=user)
    return become, variables


def _end_of(output: IO[bytes]) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _SHOWN))
    return output.read().decode("utf-8", "replace")


THIS_HOST = Host(run, existing_program, download)
