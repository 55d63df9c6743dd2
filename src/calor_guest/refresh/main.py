"""The program os-refresh-config: runs the phases in order, and the error handlers if one fails."""

import argparse
import fcntl
import logging
import os
import signal
import sys
import time
from typing import IO, Any, List, Mapping, Optional

from calor_guest.refresh import descendants, run_parts
from calor_guest.refresh.run_parts import Result

PHASES = ("pre-configure", "configure", "post-configure", "migration")
DEFAULT_BASE = "/usr/libexec/os-refresh-config"
OLD_BASE = "/opt/stack/os-config-refresh"
LOCK = "/var/run/os-refresh-config.lock"

log = logging.getLogger("os-refresh-config")


def main(arguments: List[str]) -> int:
    given = _parser().parse_args(arguments)
    base = base_folder(os.environ)
    if given.print_base:
        print(base)
        return 0
    if given.print_phases:
        print("\t".join(PHASES))
        return 0
    _start_logging(given.log_level)
    try:
        with open(given.lockfile, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return _run_locked(lock, base, given.timeout)
    except OSError as error:
        log.error("Could not lock %s. %s", given.lockfile, error)
        return error.errno or 1


def _run_locked(lock: IO[str], base: str, timeout: Optional[int]) -> int:
    lock.truncate(0)
    lock.write("Locked by pid=={} at {}\n".format(os.getpid(), time.strftime("%Y-%m-%d %H:%M:%S")))
    lock.flush()
    deadline = Deadline(timeout)
    succeeded = all(_runs(base, phase, deadline) for phase in PHASES)
    signal.alarm(0)
    lock.truncate(0)
    return 0 if succeeded else 1


class Deadline:
    """Kills what runs when the time is up."""

    def __init__(self, seconds: Optional[int]) -> None:
        self.passed = False
        self._seconds = seconds
        if seconds:
            signal.signal(signal.SIGALRM, self._kill)
            signal.alarm(seconds)

    def _kill(self, number: int, frame: Any) -> None:
        self.passed = True
        log.error("Timeout reached: %ss. Sending SIGKILL to all children", self._seconds)
        descendants.kill()


def base_folder(environment: Mapping[str, str]) -> str:
    given = environment.get("OS_REFRESH_CONFIG_BASE_DIR")
    if given is not None:
        return given
    if os.path.isdir(OLD_BASE) and not os.path.isdir(DEFAULT_BASE):
        log.warning("Base directory %s is deprecated; the recommended one is %s", OLD_BASE, DEFAULT_BASE)
        return OLD_BASE
    return DEFAULT_BASE


def _runs(base: str, phase: str, deadline: Deadline) -> bool:
    folder = os.path.join(base, phase + ".d")
    log.debug("Checking %s", folder)
    if not os.path.isdir(folder):
        log.debug("No dir for phase %s", phase)
        return True
    log.info("Starting phase %s", phase)
    result = _result(folder)
    if result.code == 0 and not deadline.passed:
        log.info("Completed phase %s", phase)
        return True
    log.error("during %s phase: %s exited with code %d", phase, result.failed or folder, result.code)
    errors = os.path.join(base, "error.d")
    if os.path.isdir(errors):
        log.info("Calling error handlers.")
        signal.alarm(0)
        _result(errors)
    log.error("Aborting...")
    return False


def _result(folder: str) -> Result:
    try:
        return run_parts.run(folder)
    except OSError as error:
        log.error("%s", error)
        return Result(1, folder)


def _start_logging(level: str) -> None:
    stream: IO[str] = sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("[%(asctime)s] (%(name)s) [%(levelname)s] %(message)s"))
    log.addHandler(handler)
    log.setLevel(level)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="os-refresh-config",
        description="Runs the programs of all phases, and exits with code 1 if one fails. "
        f"The variable OS_REFRESH_CONFIG_BASE_DIR names another folder than {DEFAULT_BASE}.",
    )
    add = parser.add_argument
    add("--print-base", action="store_true", help="print the folder of the phases")
    add("--print-phases", action="store_true", help="print the phases, separated by tabs")
    add("--log-level", default="INFO", choices=["ERROR", "WARN", "CRITICAL", "INFO", "DEBUG"])
    add("--lockfile", default=LOCK, help="only one process at a time runs with this file (%(default)s)")
    add("--timeout", type=int, help="seconds after which everything that runs is killed")
    return parser
