"""The parts of a server as separate processes, started by systemd or the like.

On one machine, processes with the same state directory find each other there; on several machines, they are configured
with the same database, key and identity service.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from calor.server import preparing, programs, seeding
from calor.server.locks import lock_cloud, lock_shared, share_keys
from calor.server.readiness import notify
from calor.server.settings import Address, Settings
from calor.server.sockets import listen, refuse_new_connections
from calor.server.supervisor import GRACE_SECONDS, Program, Supervisor


class CloudNotEmbedded(Exception):
    """The configuration names an identity service, so that the embedded cloud is not used."""


def api(settings: Settings, at: Address, patience: float) -> None:
    """Serves the REST API at an address. Raises what `preparing` raises, PortInUse and StateDirInUse; so do the
    functions below."""
    _api("api", programs.rest_main, settings, at, patience)


def api_cfn(settings: Settings, at: Address, patience: float) -> None:
    _api("api-cfn", programs.cfn_main, settings, at, patience)


def _api(name: str, main: Callable[..., None], settings: Settings, at: Address, patience: float) -> None:
    preparing.check(settings)
    configured = settings.configured.api
    own = configured.rest if name == "api" else configured.cfn
    with lock_shared(settings.state_dir), share_keys(settings.state_dir):
        found, known = preparing.wait_until_ready(settings, patience)
        preparing.share_imports()
        # Only now: until here, refused clients try another server.
        listening = listen(at.host, at.port, backlog=own.backlog)
        scheme = "https" if own.cert_file else "http"
        ready = f"calor {name} is ready at {scheme}://{at}"
        owned = configured.workers == 1
        program = partial(main, found, known, listening, owned)
        longest = programs.grace(settings, programs.ONE_GRACE)
        _run(name, program, ready, configured.workers, longest, partial(refuse_new_connections, listening))


def engine(settings: Settings, patience: float) -> None:
    """Runs an engine, one of any number on the database."""
    preparing.check(settings)
    with lock_shared(settings.state_dir), share_keys(settings.state_dir):
        found, known = preparing.wait_until_ready(settings, patience)
        preparing.share_imports()
        main = partial(programs.engine_main, found, known, alone=False)
        longest = programs.grace(settings, programs.ONE_GRACE)
        _run("engine", main, "calor engine is ready", settings.configured.engine.workers, longest)


def cloud(settings: Settings, at: Address) -> None:
    """Serves the embedded cloud at an address. Raises CloudNotEmbedded, PortInUse and StateDirInUse."""
    if not settings.is_embedded:
        raise CloudNotEmbedded(
            "[keystone_authtoken] names an identity service: the embedded cloud is not needed"
        )
    settings = replace(settings, cloud=at)
    with lock_shared(settings.state_dir), lock_cloud(settings.state_dir):
        listening = listen(at.host, at.port)
        seeding.save_cloud_address(settings)
        seeding.seed(settings)
        # The socket accepts connections from now on.
        notify()
        _sigint_as_sigterm()
        programs.cloud_main(settings, listening)


def _run(
    name: str,
    main: Callable[[str], None],
    ready: str,
    workers: int,
    longest: float | None,
    before_stop: Callable[[], None] = lambda: None,
) -> None:
    """Runs a program in `workers` processes until SIGTERM or SIGINT. The first reports that it is ready. With several,
    `before_stop` is called before they are stopped, which may take each `longest` seconds."""
    if workers > 1:
        messages = [ready, *[""] * (workers - 1)]
        several = [Program(name, partial(main, message)) for message in messages]
        grace = None if longest is None else GRACE_SECONDS + longest
        Supervisor(several, grace, before_stop).run()
    else:
        _sigint_as_sigterm()
        main(ready)


def _sigint_as_sigterm() -> None:
    signal.signal(signal.SIGINT, lambda number, frame: signal.raise_signal(signal.SIGTERM))
