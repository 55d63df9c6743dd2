"""What the holder can be asked."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calor.localcloud.linux import limits, speech
from calor.localcloud.linux.held import Held
from calor.localcloud.linux.launching import let_in, open_terminal
from calor.localcloud.linux.removal import remove_later
from calor.localcloud.linux.servers import BootOrder
from calor.localcloud.linux.snapshots import Snapshot, unpack, write_snapshot
from calor.localcloud.linux.speech import revived
from calor.localcloud.linux.syscalls import inside_network
from calor.localcloud.linux.wiring import Surroundings
from calor.localcloud.machinery import MachineryFailed, NetworkPlan, PortPlan, RouterPlan, VolumePlan


@dataclass(frozen=True)
class Asked:
    name: str
    details: dict[str, Any]
    connection: socket.socket

    def answer(self, message: dict[str, Any]) -> None:
        """For what is answered later. Whoever has asked may be gone."""
        with suppress(OSError):
            speech.say(self.connection, message)
        self.connection.close()


@dataclass(frozen=True)
class Answer:
    value: Any = None
    files: Sequence[int] = field(default=())


_DONE = Answer()


def _hello(held: Held, asked: Asked) -> Answer:
    held.surround(revived(Surroundings, asked.details["surroundings"]))
    return Answer(
        {
            "protocol": speech.PROTOCOL,
            "servers": list(held.servers),
            "networks": list(held.networks),
            "shifted": held.means.ids.first,
        }
    )


def _set_network(held: Held, asked: Asked) -> Answer:
    held.set_network(revived(NetworkPlan, asked.details["plan"]))
    return _DONE


def _drop_network(held: Held, asked: Asked) -> Answer:
    held.drop_network(asked.details["id"])
    return _DONE


def _listeners(held: Held, asked: Asked) -> Answer:
    """The sockets at which a network's servers ask for metadata, and knock at doors."""
    network = held.networks.get(asked.details["id"])
    if network is None:
        return Answer([])
    return Answer(list(network.listeners), [one.fileno() for one in network.listeners.values()])


def _set_router(held: Held, asked: Asked) -> Answer:
    held.set_router(revived(RouterPlan, asked.details["plan"]))
    return _DONE


def _drop_router(held: Held, asked: Asked) -> Answer:
    held.drop_router(asked.details["id"])
    return _DONE


def _set_port(held: Held, asked: Asked) -> Answer:
    held.set_port(revived(PortPlan, asked.details["plan"]))
    return _DONE


def _sweep(held: Held, asked: Asked) -> Answer:
    """Removes all but what is named."""
    named = {kind: set(asked.details[kind]) for kind in ("networks", "routers", "servers")}
    held.sweep(**named)
    folder = Path(asked.details["folder"])
    for left in folder.iterdir() if folder.exists() else ():
        if left.name not in named["servers"]:
            remove_later(left)
    return _DONE


def _running(held: Held, asked: Asked) -> Answer:
    return Answer(list(held.servers))


def _boot(held: Held, asked: Asked) -> None:
    def then(problem: str | None) -> None:
        asked.answer({"failed": f"the server cannot be started: {problem}"} if problem else {"answer": None})

    held.boot(revived(BootOrder, asked.details["order"]), then)


def _halt(held: Held, asked: Asked) -> None:
    held.end(asked.details["id"], lambda: asked.answer({"answer": None}), gently=True)


def _destroy(held: Held, asked: Asked) -> None:
    def then() -> None:
        remove_later(Path(asked.details["folder"]))
        asked.answer({"answer": None})

    held.end(asked.details["id"], then, gently=False)


def _freeze(held: Held, asked: Asked) -> Answer:
    held.server(asked.details["id"]).freeze(asked.details["frozen"])
    return _DONE


def _plug(held: Held, asked: Asked) -> Answer:
    held.plug(asked.details["id"], revived(PortPlan, asked.details["plan"]))
    return _DONE


def _unplug(held: Held, asked: Asked) -> Answer:
    held.unplug(asked.details["id"], asked.details["port"])
    return _DONE


def _attach(held: Held, asked: Asked) -> Answer:
    held.server(asked.details["id"]).attach(revived(VolumePlan, asked.details["volume"]))
    return _DONE


def _detach(held: Held, asked: Asked) -> Answer:
    held.server(asked.details["id"]).detach(asked.details["volume"])
    return _DONE


def _drop_volume(held: Held, asked: Asked) -> Answer:
    held.drop_volume(asked.details["volume"])
    return _DONE


def _grow(held: Held, asked: Asked) -> None:
    volume, file = asked.details["volume"], Path(asked.details["file"])
    _aside(asked, lambda: held.volumes.grow(volume, file))


def _flush(held: Held, asked: Asked) -> None:
    _aside(asked, lambda: held.volumes.flush(asked.details["volume"]))


def _usage(held: Held, asked: Asked) -> Answer:
    return Answer(held.server(asked.details["id"]).usage())


def _snapshot(held: Held, asked: Asked) -> None:
    snapshot = revived(Snapshot, asked.details["snapshot"])
    _aside(asked, lambda: write_snapshot(snapshot, held.means))


def _listening_ports(held: Held, asked: Asked) -> Answer:
    """On which TCP ports servers listen, for whoever can reach them; by the server's own port."""
    found = {}
    for port in asked.details["ports"]:
        server = held.owner(port)
        if server is not None:
            found[port] = server.sockets.listening()
    return Answer(found)


def _unpack(held: Held, asked: Asked) -> None:
    archive, target = Path(asked.details["archive"]), Path(asked.details["target"])
    _aside(asked, lambda: unpack(archive, target, held.means.ids))


def _connect(held: Held, asked: Asked) -> Answer | None:
    """A connection into a network, made in its namespace."""
    network = held.networks.get(asked.details["network"])
    if network is None:
        raise MachineryFailed("there is no such network")
    with inside_network(network.namespace.fd):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    made.setblocking(False)
    made.connect_ex((asked.details["address"], asked.details["port"]))
    speech.say(asked.connection, {"answer": None}, [made.fileno()])
    made.close()
    asked.connection.close()
    return None


def _enter(held: Held, asked: Asked) -> None:
    """Runs a program in a server. The files of its ends are sent, then how it ended."""
    server = held.server(asked.details["id"])
    groups = limits.joins(held.means.groups, server.id)
    connection = asked.connection
    connection.settimeout(None)

    def standard() -> Sequence[int]:
        if asked.details["terminal"]:
            master, slave = open_terminal()
            os.fchown(slave, held.means.ids.first, held.means.ids.first)
            speech.say(connection, {"terminal": True}, [master])
            os.close(master)
            return [slave, os.dup(slave), os.dup(slave)]
        input_reading, input_writing = os.pipe()
        output_reading, output_writing = os.pipe()
        errors_reading, errors_writing = os.pipe()
        speech.say(connection, {"terminal": False}, [input_writing, output_reading, errors_reading])
        for sent in (input_writing, output_reading, errors_reading):
            os.close(sent)
        return [input_reading, output_writing, errors_writing]

    def work() -> int:
        return let_in(
            *(server.process, groups, asked.details["program"], asked.details["environment"], standard)
        )

    _aside(asked, work)
    for group in groups:
        os.close(group)


def _aside(asked: Asked, work: Callable[[], Any]) -> None:
    """Does something in a process of its own, which answers."""
    if os.fork() == 0:
        try:
            answer: dict[str, Any] = {"answer": work()}
        except BaseException as error:
            answer = {"failed": str(error) or type(error).__name__}
        try:
            speech.say(asked.connection, answer)
        finally:
            os._exit(0)
    asked.connection.close()


REQUESTS: dict[str, Callable[[Held, Asked], Answer | None]] = {
    "hello": _hello,
    "set_network": _set_network,
    "drop_network": _drop_network,
    "listeners": _listeners,
    "set_router": _set_router,
    "drop_router": _drop_router,
    "set_port": _set_port,
    "sweep": _sweep,
    "running": _running,
    "boot": _boot,
    "halt": _halt,
    "destroy": _destroy,
    "freeze": _freeze,
    "plug": _plug,
    "unplug": _unplug,
    "attach": _attach,
    "detach": _detach,
    "drop_volume": _drop_volume,
    "grow": _grow,
    "flush": _flush,
    "usage": _usage,
    "snapshot": _snapshot,
    "unpack": _unpack,
    "listening_ports": _listening_ports,
    "connect": _connect,
    "enter": _enter,
}
