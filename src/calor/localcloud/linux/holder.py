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
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from calor.localcloud.linux import speech
from calor.localcloud.linux.entry import enter, shifted_usr
from calor.localcloud.linux.held import Held
from calor.localcloud.linux.limits import found_groups, remove_groups
from calor.localcloud.linux.requests import REQUESTS, Asked
from calor.localcloud.linux.servers import Means, Server

log = logging.getLogger("calor.localcloud.linux")

_SECONDS_TO_ASK = 10.0


class Holder:
    def __init__(self, folder: Path, held: Held) -> None:
        self._held = held
        self._selector = selectors.DefaultSelector()
        self._listening = speech.listen(folder)
        self._selector.register(self._listening, selectors.EVENT_READ, self._accept)
        self._watchers: list[socket.socket] = []
        self._consoles: set[str] = set()
        self._is_ending = False
        waking, self._waking = socket.socketpair()
        for end in (waking, self._waking):
            end.setblocking(False)
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGTERM, lambda number, frame: self._end())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self._selector.register(waking, selectors.EVENT_READ, lambda: self._reap(waking))

    def run(self) -> None:
        while not self._is_ending:
            timeout = self._held.seconds_to_next(time.monotonic())
            for key, _ in self._selector.select(timeout):
                key.data()
            self._held.lose_patience(time.monotonic())
            self._follow_consoles()
        self._held.close()

    def _end(self) -> None:
        self._is_ending = True

    def _follow_consoles(self) -> None:
        """Consoles come and go with servers."""
        running = self._held.servers
        for id in running.keys() - self._consoles:
            console = running[id].console
            self._selector.register(console.terminal, selectors.EVENT_READ, console.take)
            self._consoles.add(id)

    def _drop_console(self, server: Server) -> None:
        if server.id in self._consoles:
            self._consoles.discard(server.id)
            self._selector.unregister(server.console.terminal)

    def _reap(self, waking: socket.socket) -> None:
        with suppress(BlockingIOError):
            while waking.recv(4096):
                pass
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            ended = self._held.ended(process, os.waitstatus_to_exitcode(status), self._drop_console)
            if ended is not None:
                self._tell({"died": ended})

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
        asked = Asked(message.get("ask", ""), message.get("with", {}), connection, self._drop_console)
        if asked.name == "watch":
            self._watchers.append(connection)
            return
        try:
            self._answer(asked)
        except OSError as error:
            log.warning("%s could not be answered: %s", asked.name, error)
            connection.close()

    def _answer(self, asked: Asked) -> None:
        if asked.name == "stop":
            self._held.close()
            speech.say(asked.connection, {"answer": None})
            asked.connection.close()
            self._end()
            return
        try:
            do = REQUESTS[asked.name]
            reply = do(self._held, asked)
        except Exception as error:
            log.exception("%s failed", asked.name)
            speech.say(asked.connection, {"failed": str(error) or type(error).__name__})
            asked.connection.close()
            return
        if reply is None:
            # It is answered later, by whoever has the connection now.
            return
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
        held = Held(folder, means)
        holder = Holder(folder, held)
        os.write(ready, b"ready")
        os.close(ready)
        try:
            holder.run()
        finally:
            (folder / "holder.sock").unlink(missing_ok=True)
            remove_groups(groups)


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s", stream=sys.stderr)
    folder, ready = Path(sys.argv[1]), int(sys.argv[2])
    try:
        hold(folder, ready)
    except BaseException as error:
        with suppress(OSError):
            os.write(ready, f"{type(error).__name__}: {error}".encode())
        raise


if __name__ == "__main__":
    main()
