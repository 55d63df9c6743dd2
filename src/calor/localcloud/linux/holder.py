"""Holds the networks and servers of one cloud, and outlives it: python -m calor.localcloud.linux.holder FOLDER

A process of one thread that forks servers from itself. All namespaces are held by its descriptors and all servers die
with it, so that nothing but empty control groups is left if it is killed.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from calor.localcloud.linux import speech
from calor.localcloud.linux.attention import Attention
from calor.localcloud.linux.entry import enter, shifted_usr
from calor.localcloud.linux.held import Held
from calor.localcloud.linux.limits import found_groups, remove_groups
from calor.localcloud.linux.removal import remove_left
from calor.localcloud.linux.requests import REQUESTS, Asked
from calor.localcloud.linux.servers import Means
from calor.observe.escaping import EscapedLines

log = logging.getLogger("calor.localcloud.linux")

LOOKING_SECONDS = 5.0
"""How often it looks whether its folder is still there."""
_SECONDS_TO_ASK = 10.0


class Holder:
    def __init__(self, folder: Path, means: Means) -> None:
        self._folder = folder
        self._attention = Attention()
        self._held = Held(folder, means, self._attention, lambda id: self._tell({"died": id}))
        self._listening = speech.listen(folder)
        self._attention.heed(self._listening.fileno(), self._accept)
        self._watchers: list[socket.socket] = []
        self._is_ending = False
        woken, self._waking = socket.socketpair()
        for end in (woken, self._waking):
            end.setblocking(False)
        self._attention.heed(woken.fileno(), lambda: self._reap(woken))
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGTERM, lambda number, frame: self._end())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def run(self) -> None:
        while not self._is_ending:
            self._attention.wait(min(self._held.seconds_to_next() or LOOKING_SECONDS, LOOKING_SECONDS))
            self._held.lose_patience()
            if not self._folder.exists():
                # Whoever removed it wants nothing of this cloud any more, and nobody could ask for it.
                self._end()
        self._held.close()

    def _end(self) -> None:
        self._is_ending = True

    def _reap(self, woken: socket.socket) -> None:
        with suppress(BlockingIOError):
            while woken.recv(4096):
                pass
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            self._held.ended(process, os.waitstatus_to_exitcode(status))

    def _tell(self, message: dict[str, Any]) -> None:
        for watcher in list(self._watchers):
            try:
                speech.say(watcher, message)
            except OSError:
                self._watchers.remove(watcher)
                watcher.close()

    def _accept(self) -> None:
        connection, _ = self._listening.accept()
        connection.settimeout(_SECONDS_TO_ASK)
        try:
            message, files = speech.hear(connection)
        except (OSError, ValueError):
            connection.close()
            return
        for file in files:
            os.close(file)
        asked = Asked(message.get("ask", ""), message.get("with", {}), connection)
        if asked.name == "watch":
            self._watchers.append(connection)
        elif asked.name == "stop":
            self._held.close()
            asked.answer({"answer": None})
            self._end()
        else:
            self._do(asked)

    def _do(self, asked: Asked) -> None:
        try:
            reply = REQUESTS[asked.name](self._held, asked)
        except Exception as error:
            log.exception("%s failed", asked.name)
            asked.answer({"failed": str(error) or type(error).__name__})
            return
        if reply is not None:
            # All others are answered later, by whoever has the connection now.
            with suppress(OSError):
                speech.say(asked.connection, {"answer": reply.value}, reply.files)
            asked.connection.close()


def group_name(folder: Path) -> str:
    """One that nobody else has."""
    return "calor-" + hashlib.sha256(str(folder).encode()).hexdigest()[:12]


def hold(folder: Path, ready: int) -> None:
    """Serves until told to stop; tells through a descriptor when it can be asked."""
    with open(folder / "holder.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        ids = enter()
        name = group_name(folder)
        groups = found_groups(name)
        # What a holder that was killed has left over.
        remove_groups(groups)
        groups = found_groups(name)
        options = "" if ids.are_shifted else ",userxattr"
        means = Means(ids, groups, shifted_usr(folder / "usr", ids), options)
        remove_left(folder)
        holder = Holder(folder, means)
        os.write(ready, b"ready")
        os.close(ready)
        try:
            holder.run()
        finally:
            (folder / "holder.sock").unlink(missing_ok=True)
            remove_groups(groups)


def main() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(EscapedLines("%(asctime)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    folder, ready = Path(sys.argv[1]), int(sys.argv[2])
    try:
        hold(folder, ready)
    except BaseException as error:
        with suppress(OSError):
            os.write(ready, f"{type(error).__name__}: {error}".encode())
        raise


if __name__ == "__main__":
    main()
