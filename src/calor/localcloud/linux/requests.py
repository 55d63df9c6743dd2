"""The requests that the holder handles."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from calor.localcloud.backend import BackendError, NetworkPlan, PortPlan, RouterPlan, VolumePlan
from calor.localcloud.linux import limits, protocol
from calor.localcloud.linux.launching import open_terminal, run_in_server
from calor.localcloud.linux.protocol import decode_as
from calor.localcloud.linux.removal import remove_later
from calor.localcloud.linux.servers import BootSpec
from calor.localcloud.linux.snapshots import Snapshot, write_snapshot
from calor.localcloud.linux.state import HolderState
from calor.localcloud.linux.syscalls import in_network_namespace
from calor.localcloud.linux.unpacking import unpack
from calor.localcloud.linux.wiring import HostSettings
from calor.localcloud.types import Json


@dataclass(frozen=True)
class HolderRequest:
    name: str
    details: Json
    connection: socket.socket

    def answer(self, message: Mapping[str, object]) -> None:
        """For requests that are answered later. The client may have disconnected."""
        with suppress(OSError):
            protocol.send(self.connection, message)
        self.connection.close()


@dataclass(frozen=True)
class Answer:
    value: object = None
    files: Sequence[int] = field(default=())


_DONE = Answer()


def _version(state: HolderState, request: HolderRequest) -> Answer:
    return Answer(protocol.VERSION)


def _hello(state: HolderState, request: HolderRequest) -> Answer:
    state.apply_settings(decode_as(HostSettings, request.details["settings"]))
    return Answer(
        {
            "servers": list(state.servers),
            "networks": list(state.networks),
            "shifted": state.means.ids.first,
        }
    )


def _set_network(state: HolderState, request: HolderRequest) -> Answer:
    state.set_network(decode_as(NetworkPlan, request.details["plan"]))
    return _DONE


def _drop_network(state: HolderState, request: HolderRequest) -> Answer:
    state.drop_network(request.details["id"])
    return _DONE


def _listeners(state: HolderState, request: HolderRequest) -> Answer:
    """The listening sockets of a network: for metadata, and for services of the host."""
    network = state.networks.get(request.details["id"])
    if network is None:
        return Answer([])
    return Answer(list(network.listeners), [one.fileno() for one in network.listeners.values()])


def _set_router(state: HolderState, request: HolderRequest) -> Answer:
    state.set_router(decode_as(RouterPlan, request.details["plan"]))
    return _DONE


def _drop_router(state: HolderState, request: HolderRequest) -> Answer:
    state.drop_router(request.details["id"])
    return _DONE


def _set_port(state: HolderState, request: HolderRequest) -> Answer:
    state.set_port(decode_as(PortPlan, request.details["plan"]))
    return _DONE


def _sweep(state: HolderState, request: HolderRequest) -> Answer:
    """Removes everything that is not listed."""
    named = {kind: set(request.details[kind]) for kind in ("networks", "routers", "servers")}
    state.sweep(**named)
    folder = Path(request.details["folder"])
    for left in folder.iterdir() if folder.exists() else ():
        if left.name not in named["servers"]:
            remove_later(left)
    return _DONE


def _running(state: HolderState, request: HolderRequest) -> Answer:
    return Answer(list(state.servers))


def _boot(state: HolderState, request: HolderRequest) -> None:
    def then(problem: str | None) -> None:
        request.answer(
            {"failed": f"the server cannot be started: {problem}"} if problem else {"answer": None}
        )

    state.boot(decode_as(BootSpec, request.details["spec"]), then)


def _halt(state: HolderState, request: HolderRequest) -> None:
    state.end(request.details["id"], lambda: request.answer({"answer": None}), gently=True)


def _destroy(state: HolderState, request: HolderRequest) -> None:
    def then() -> None:
        remove_later(Path(request.details["folder"]))
        request.answer({"answer": None})

    state.end(request.details["id"], then, gently=False)


def _freeze(state: HolderState, request: HolderRequest) -> Answer:
    state.server(request.details["id"]).freeze(request.details["frozen"])
    return _DONE


def _plug(state: HolderState, request: HolderRequest) -> Answer:
    state.plug(request.details["id"], decode_as(PortPlan, request.details["plan"]))
    return _DONE


def _unplug(state: HolderState, request: HolderRequest) -> Answer:
    state.unplug(request.details["id"], request.details["port"])
    return _DONE


def _attach(state: HolderState, request: HolderRequest) -> Answer:
    server = state.server(request.details["id"])
    server.volumes.attach(decode_as(VolumePlan, request.details["volume"]), server.process)
    return _DONE


def _detach(state: HolderState, request: HolderRequest) -> None:
    server, volume = state.server(request.details["id"]), request.details["volume"]
    server.volumes.detach(volume, server.process)
    state.volumes.when_written([volume], lambda: request.answer({"answer": None}))


def _drop_volume(state: HolderState, request: HolderRequest) -> Answer:
    state.drop_volume(request.details["volume"])
    return _DONE


def _grow(state: HolderState, request: HolderRequest) -> None:
    volume, file = request.details["volume"], Path(request.details["file"])
    _in_child(request, lambda: state.volumes.grow(volume, file))


def _flush(state: HolderState, request: HolderRequest) -> None:
    _in_child(request, lambda: state.volumes.flush(request.details["volume"]))


def _usage(state: HolderState, request: HolderRequest) -> Answer:
    return Answer(state.server(request.details["id"]).usage())


def _snapshot(state: HolderState, request: HolderRequest) -> None:
    snapshot = decode_as(Snapshot, request.details["snapshot"])
    _in_child(request, lambda: write_snapshot(snapshot, state.means))


def _listening_ports(state: HolderState, request: HolderRequest) -> Answer:
    """The TCP ports on which servers listen, by port id."""
    found = {}
    for port in request.details["ports"]:
        server = state.owner(port)
        if server is not None:
            found[port] = server.ports.listening_ports()
    return Answer(found)


def _unpack(state: HolderState, request: HolderRequest) -> None:
    archive, target = Path(request.details["archive"]), Path(request.details["target"])
    _in_child(request, lambda: unpack(archive, target, state.means.ids))


def _connect(state: HolderState, request: HolderRequest) -> Answer | None:
    """Opens a connection within the namespace of a network."""
    network = state.networks.get(request.details["network"])
    if network is None:
        raise BackendError("the network does not exist")
    with in_network_namespace(network.namespace.fd):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    made.setblocking(False)
    made.connect_ex((request.details["address"], request.details["port"]))
    protocol.send(request.connection, {"answer": None}, [made.fileno()])
    made.close()
    request.connection.close()
    return None


def _enter(state: HolderState, request: HolderRequest) -> None:
    """Runs a program in a server. Sends the descriptors of its terminal or streams, then its exit code."""
    server = state.server(request.details["id"])
    groups = limits.open_join_files(state.means.groups, server.id)
    connection = request.connection
    connection.settimeout(None)

    def open_streams() -> Sequence[int]:
        if request.details["terminal"]:
            master, slave = open_terminal()
            os.fchown(slave, state.means.ids.first, state.means.ids.first)
            protocol.send(connection, {"terminal": True}, [master])
            os.close(master)
            return [slave, os.dup(slave), os.dup(slave)]
        input_reading, input_writing = os.pipe()
        output_reading, output_writing = os.pipe()
        errors_reading, errors_writing = os.pipe()
        protocol.send(connection, {"terminal": False}, [input_writing, output_reading, errors_reading])
        for sent in (input_writing, output_reading, errors_reading):
            os.close(sent)
        return [input_reading, output_writing, errors_writing]

    def work() -> int:
        return run_in_server(
            *(
                server.process,
                groups,
                request.details["program"],
                request.details["environment"],
                open_streams,
            )
        )

    _in_child(request, work)
    for group in groups:
        os.close(group)


def _in_child(request: HolderRequest, work: Callable[[], object]) -> None:
    """Runs the work in a child process, which sends the answer."""
    if os.fork() == 0:
        try:
            answer: dict[str, object] = {"answer": work()}
        except BaseException as error:
            answer = {"failed": str(error) or type(error).__name__}
        try:
            protocol.send(request.connection, answer)
        finally:
            os._exit(0)
    request.connection.close()


REQUESTS: dict[str, Callable[[HolderState, HolderRequest], Answer | None]] = {
    "version": _version,
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
