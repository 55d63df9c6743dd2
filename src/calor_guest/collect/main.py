"""The program os-collect-config: collects metadata, and runs a command whenever it has changed."""

import json
import logging
import os
import random
import subprocess
import sys
import time
from typing import Dict, List, NamedTuple, Sequence

from calor_guest.collect import options, poll
from calor_guest.collect.cache import Cache
from calor_guest.collect.hangup import Hangup
from calor_guest.collect.options import Settings
from calor_guest.collect.source import MetadataSource, log
from calor_guest.common import files


def main(arguments: List[str]) -> int:
    try:
        settings = options.read(arguments)
        _start_logging(settings)
        return run(settings)
    except ValueError as error:
        sys.stderr.write(f"os-collect-config: {error}\n")
        return 1


def run(settings: Settings) -> int:
    """Raises ValueError."""
    general = settings.general
    if general.flag("print_cachedir"):
        print(general.text("cachedir"))
        return 0
    sources = poll.configured_sources(settings)
    once = general.flag("one_time") or general.flag("force")
    if general.number("splay") and not once:
        time.sleep(random.uniform(0, general.number("splay")))
    command = general.text("command")
    if command is None or general.flag("print"):
        print(json.dumps(poll.collect(sources), indent=1))
        return 0
    if once:
        return Round(settings, sources, command).run(force=general.flag("force")).code
    return _forever(settings, Round(settings, sources, command))


def _forever(settings: Settings, one: "Round") -> int:
    general = settings.general
    shortest, longest = general.number("min_polling_interval"), general.number("polling_interval")
    hangup = Hangup()
    pause = shortest
    while True:
        try:
            outcome = one.run()
        except OSError as error:
            log.error("%s", error)
            outcome = Outcome(ran=False)
        if outcome.ran and any(files.read_text(path) != text for path, text in settings.files.items()):
            reexecute()
        if outcome.accepted:
            # What has been accepted is often followed by what depends on it.
            pause = shortest
        log.info("Sleeping %.2f seconds.", pause)
        if hangup.pause(pause):
            log.info("Signal received. Re-executing %s", sys.argv)
            reexecute()
        pause = min(pause * 2, longest)


class Outcome(NamedTuple):
    ran: bool
    code: int = 0

    @property
    def accepted(self) -> bool:
        return self.ran and self.code == 0


class Round:
    """Collects, and runs the command if something has changed. What it accepts is committed."""

    def __init__(self, settings: Settings, sources: Sequence[MetadataSource], command: str) -> None:
        self._sources = sources
        self._command = command
        self._cache = Cache(settings.general.text("cachedir") or "")
        self._backup = settings.general.text("backup_cachedir") or ""

    def run(self, force: bool = False) -> Outcome:
        collected = poll.store(self._sources, self._cache, self._backup)
        if not collected.changed and not force:
            log.debug("No changes detected.")
            return Outcome(ran=False)
        code = call(self._command, collected.paths)
        if code:
            log.error("Command failed with code %d, will not cache new data.", code)
        else:
            for name in collected.changed:
                self._cache.commit(name)
        return Outcome(ran=True, code=code)


def call(command: str, paths: Sequence[str]) -> int:
    environment: Dict[str, str] = dict(os.environ, OS_CONFIG_FILES=":".join(paths))
    log.info("Executing %s with OS_CONFIG_FILES=%s", command, environment["OS_CONFIG_FILES"])
    sys.stdout.flush()
    return subprocess.call(command, shell=True, env=environment)


def reexecute() -> None:
    """Restarts this program, with the settings as they are now."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.argv])


def _start_logging(settings: Settings) -> None:
    path = settings.general.text("log_file")
    handler = logging.FileHandler(path) if path else logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.DEBUG if settings.general.flag("debug") else logging.INFO)
