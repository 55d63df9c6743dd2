"""The parts of a server as processes of their own, started by whatever starts processes.

Those with the same state directory find each other there, on one machine; on several machines, they are told the same
database, key and identity service.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from calor.server import furnishing, preparing, programs
from calor.server.holding import hold_cloud, hold_together, use_keys
from calor.server.readiness import notify
from calor.server.settings import Address, Settings
from calor.server.sockets import listen, turn_away
from calor.server.supervisor import GRACE_SECONDS, Program, Supervisor


class NoCloudHere(Exception):
    """The configuration names an identity service, so that the embedded one is of no use."""


def api(settings: Settings, at: Address, patience: float) -> None:
    """Answers the requests of the REST API at an address. Raises what `preparing` does, PortTaken and
    StateDirTaken; so do the others."""
    _api("api", programs.rest_main, settings, at, patience)


def api_cfn(settings: Settings, at: Address, patience: float) -> None:
    _api("api-cfn", programs.cfn_main, settings, at, patience)


def _api(name: str, main: Callable[..., None], settings: Settings, at: Address, patience: float) -> None:
    preparing.check(settings)
    configured = settings.configured.api
    own = configured.rest if name == "api" else configured.cfn
    with hold_together(settings.state_dir), use_keys(settings.state_dir):
        found, known = preparing.found(settings, patience)
        preparing.share_imports()
        # Until here, clients are better refused: they try elsewhere.
        listening = listen(at.host, at.port, backlog=own.backlog)
        scheme = "https" if own.cert_file else "http"
        ready = f"calor {name} is ready at {scheme}://{at}"
        owned = configured.workers == 1
        program = partial(main, found, known, listening, owned)
        longest = programs.grace(settings, programs.ONE_GRACE)
        _run(name, program, ready, configured.workers, longest, partial(turn_away, listening))


def engine(settings: Settings, patience: float) -> None:
    """Takes up work, with as many others as there are."""
    preparing.check(settings)
    with hold_together(settings.state_dir), use_keys(settings.state_dir):
        found, known = preparing.found(settings, patience)
        preparing.share_imports()
        main = partial(programs.engine_main, found, known, alone=False)
        longest = programs.grace(settings, programs.ONE_GRACE)
        _run("engine", main, "calor engine is ready", settings.configured.engine.workers, longest)


def cloud(settings: Settings, at: Address) -> None:
    """Serves the embedded cloud at an address. Raises NoCloudHere, PortTaken and StateDirTaken."""
    if not settings.is_embedded:
        raise NoCloudHere("[keystone_authtoken] names an identity service: the embedded cloud is not needed")
    settings = replace(settings, cloud=at)
    with hold_together(settings.state_dir), hold_cloud(settings.state_dir):
        listening = listen(at.host, at.port)
        furnishing.note_address(settings)
        furnishing.furnish(settings)
        # Who asks from now on is answered.
        notify()
        _until_told()
        programs.cloud_main(settings, listening)


def _run(
    name: str,
    main: Callable[[str], None],
    ready: str,
    workers: int,
    longest: float | None,
    parting: Callable[[], None] = lambda: None,
) -> None:
    """Runs a program, as several processes if that is wanted, until SIGTERM or SIGINT. The first says that it is
    ready; `parting` is done before several are told to stop, which takes each as long as `longest` says."""
    if workers > 1:
        words = [ready, *[""] * (workers - 1)]
        several = [Program(name, partial(main, word)) for word in words]
        grace = None if longest is None else GRACE_SECONDS + longest
        Supervisor(several, grace, parting).run()
    else:
        _until_told()
        main(ready)


def _until_told() -> None:
    """SIGINT is to mean what SIGTERM does."""
    signal.signal(signal.SIGINT, lambda number, frame: signal.raise_signal(signal.SIGTERM))
