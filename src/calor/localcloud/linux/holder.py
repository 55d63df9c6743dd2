"""The holder: the process that runs the networks and servers of one cloud, and outlives the cloud itself. Started by
calor.localcloud.linux.starting.

It has a single thread and forks the servers. Its descriptors keep all namespaces alive and all servers die with it:
if it is killed, only empty control groups remain.
"""

from __future__ import annotations

import hashlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from calor.localcloud.linux import protocol
from calor.localcloud.linux.entry import ids_here, mount_shifted_usr
from calor.localcloud.linux.event_loop import EventLoop
from calor.localcloud.linux.limits import create_groups, remove_groups
from calor.localcloud.linux.removal import remove_leftovers
from calor.localcloud.linux.requests import REQUESTS, HolderRequest
from calor.localcloud.linux.servers import ServerDefaults
from calor.localcloud.linux.starting import protect_interpreter
from calor.localcloud.linux.state import HolderState
from calor.observe.escaping import EscapedLines

log = logging.getLogger("calor.localcloud.linux")

FOLDER_CHECK_SECONDS = 5.0
"""How often it checks that its folder still exists."""
_REQUEST_SECONDS = 10.0


class Holder:
    def __init__(self, folder: Path, means: ServerDefaults) -> None:
        self._folder = folder
        self._loop = EventLoop()
        self._state = HolderState(folder, means, self._loop, lambda id: self._notify({"died": id}))
        self._listening = protocol.listen(folder)
        self._loop.add_reader(self._listening.fileno(), self._accept)
        self._watchers: list[socket.socket] = []
        self._is_ending = False
        woken, self._waking = socket.socketpair()
        for end in (woken, self._waking):
            end.setblocking(False)
        self._loop.add_reader(woken.fileno(), lambda: self._reap(woken))
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGTERM, lambda number, frame: self._end())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def run(self) -> None:
        while not self._is_ending:
            self._loop.run_once(self._state.seconds_until_due(FOLDER_CHECK_SECONDS))
            self._state.run_due()
            if not self._folder.exists():
                # The cloud was deleted, and the socket with it.
                self._end()
        self._state.close()

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
            try:
                self._state.on_process_exit(process, os.waitstatus_to_exitcode(status))
            except Exception:
                log.exception("cannot handle the exit of process %s", process)

    def _notify(self, message: Mapping[str, object]) -> None:
        for watcher in list(self._watchers):
            try:
                protocol.send(watcher, message)
            except OSError:
                self._watchers.remove(watcher)
                watcher.close()

    def _accept(self) -> None:
        connection, _ = self._listening.accept()
        connection.settimeout(_REQUEST_SECONDS)
        try:
            message, files = protocol.receive(connection)
        except (OSError, ValueError):
            connection.close()
            return
        for file in files:
            os.close(file)
        request = HolderRequest(message.get("ask", ""), message.get("with", {}), connection)
        if request.name == "watch":
            self._watchers.append(connection)
        elif request.name == "stop":
            self._state.close()
            request.answer({"answer": None})
            self._end()
        else:
            self._do(request)

    def _do(self, request: HolderRequest) -> None:
        try:
            reply = REQUESTS[request.name](self._state, request)
        except Exception as error:
            log.exception("%s failed", request.name)
            request.answer({"failed": str(error) or type(error).__name__})
            return
        if reply is not None:
            # Without a reply, the handler has taken over the connection.
            with suppress(OSError):
                protocol.send(request.connection, {"answer": reply.value}, reply.files)
            request.connection.close()


def group_name(folder: Path) -> str:
    """The name of the control group: unique to the folder."""
    return "calor-" + hashlib.sha256(str(folder).encode()).hexdigest()[:12]


def hold(folder: Path, ready: int) -> None:
    """Serves until it is stopped; writes to the descriptor `ready` when it accepts requests."""
    protect_interpreter()
    ids = ids_here()
    name = group_name(folder)
    groups = create_groups(name)
    # A killed holder has left them.
    remove_groups(groups)
    groups = create_groups(name)
    options = "" if ids.are_shifted else ",userxattr"
    means = ServerDefaults(ids, groups, mount_shifted_usr(folder / "usr", ids), options)
    remove_leftovers(folder)
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
    folder, ready, lock = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    # Servers must not inherit them.
    for own in (ready, lock):
        os.set_inheritable(own, False)
    try:
        hold(folder, ready)
    except BaseException as error:
        with suppress(OSError):
            os.write(ready, f"{type(error).__name__}: {error}".encode())
        raise


if __name__ == "__main__":
    main()
