"""The folder that records which configs have run. A config never runs twice, whenever the server stops:

<id>.json         the config, written before its hook runs; an empty one counts as done
<id>.notify.json  the result
<id>.undelivered  the stack has not acknowledged the result yet
"""

import fcntl
import os
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Iterator, Mapping

from calor_guest.common import files
from calor_guest.config.configs import Config


class State(Enum):
    NEW = "new"
    INTERRUPTED = "interrupted"
    UNDELIVERED = "undelivered"
    DONE = "done"


class DeployedFolder:
    def __init__(self, path: str) -> None:
        self.path = path

    def prepare(self, earlier: str) -> None:
        """Creates the folder, with what was in the earlier place."""
        if os.path.isdir(self.path):
            return
        if os.path.isdir(earlier):
            import shutil  # Takes long, and is needed once.

            partial = self.path.rstrip("/") + ".partial"
            shutil.rmtree(partial, ignore_errors=True)
            shutil.copytree(earlier, partial)
            os.sync()
            os.rename(partial, self.path)
            shutil.rmtree(earlier, ignore_errors=True)
        else:
            os.makedirs(self.path, exist_ok=True)
        os.chmod(self.path, 0o700)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Waits until nobody else works with the folder."""
        folder = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def state(self, id: str) -> State:
        """What has been done for a config. For who has locked the folder: nobody works on it."""
        try:
            size = os.path.getsize(self.config_file(id))
        except FileNotFoundError:
            return State.NEW
        if os.path.exists(self.result_file(id)):
            return State.UNDELIVERED if os.path.exists(self._file(id, "undelivered")) else State.DONE
        return State.INTERRUPTED if size else State.DONE

    def begin(self, config: Config) -> None:
        """From now on, the config does not run again."""
        with suppress(FileNotFoundError):
            # Of an earlier time, if somebody removed only the config to run it again.
            os.unlink(self.result_file(config["id"]))
        files.write(self._file(config["id"], "undelivered"), "")
        files.write_json(self.config_file(config["id"]), config, durable=True)

    def save(self, id: str, result: Mapping[str, object]) -> None:
        files.write_json(self.result_file(id), result, durable=True)

    def set_delivered(self, id: str) -> None:
        os.unlink(self._file(id, "undelivered"))

    def config_file(self, id: str) -> str:
        return self._file(id, "json")

    def result_file(self, id: str) -> str:
        return self._file(id, "notify.json")

    def _file(self, id: str, kind: str) -> str:
        return os.path.join(self.path, f"{id}.{kind}")
