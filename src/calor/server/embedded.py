"""The embedded server: everything in one place, with no set-up."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from calor.server import furnishing, preparing, programs, secrets
from calor.server.holding import hold_alone
from calor.server.settings import Settings
from calor.server.sockets import listen, turn_away
from calor.server.supervisor import GRACE_SECONDS, Program, Supervisor


def serve(settings: Settings) -> None:
    """Runs a server in the foreground until it is told to stop. Raises PortTaken, StateDirTaken,
    DatabaseUnusable, WrongKey, and what `preparing.check` does."""
    preparing.check(settings)
    configured = settings.configured
    api = configured.api
    hold, patience = hold_alone(settings.state_dir)
    api_socket = listen(settings.host, settings.port, patience, api.rest.backlog)
    cfn_socket = listen(settings.cfn_host, settings.cfn_port, patience, api.cfn.backlog)
    running: list[Program] = []
    if settings.is_embedded:
        cloud_socket = listen(settings.host, settings.cloud_port, patience)
        running.append(Program("cloud", partial(programs.cloud_main, settings, cloud_socket), needed=True))
    _furnish_and_import(settings)
    known = secrets.load(settings.state_dir, configured.encryption_keys)
    preparing.prepare_database(settings, known, upgrading=True)
    engine_main = partial(programs.engine_main, settings, known, alone=settings.has_one_engine)
    running.extend([Program("engine", engine_main)] * configured.engine.workers)
    for number in range(api.workers):
        ready = "" if number else f"Calor is ready at {settings.api_url}"
        main = partial(programs.api_main, settings, known, api_socket, cfn_socket, ready)
        running.append(Program("api", main))

    def parting() -> None:
        turn_away(api_socket)
        turn_away(cfn_socket)

    stated = configured.stopping_seconds
    grace = GRACE_SECONDS if stated is None else GRACE_SECONDS + stated if stated else None
    Supervisor(running, grace, parting).run()
    hold.truncate(0)
    hold.close()


def _furnish_and_import(settings: Settings) -> None:
    """Both take most of a start, so that they are done side by side. What furnishes the cloud is used by no other
    process."""
    if not settings.is_embedded:
        preparing.share_imports()
        return
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as beside:
        furnished = beside.submit(furnishing.furnish, settings)
        preparing.share_imports()
        furnished.result()
