"""`calor serve`: all processes of a server, with no setup."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from calor.server import preparing, programs, secrets, seeding
from calor.server.locks import lock_exclusively
from calor.server.settings import Settings
from calor.server.sockets import listen, refuse_new_connections
from calor.server.supervisor import GRACE_SECONDS, Program, Supervisor


def serve(settings: Settings) -> None:
    """Runs a server in the foreground until SIGTERM or SIGINT. Raises PortInUse, StateDirInUse, DatabaseUnusable,
    WrongKey, and what `preparing.check` raises."""
    preparing.check(settings)
    configured = settings.configured
    api = configured.api
    lock, patience = lock_exclusively(settings.state_dir)
    api_socket = listen(settings.host, settings.port, patience, api.rest.backlog)
    cfn_socket = listen(settings.cfn_host, settings.cfn_port, patience, api.cfn.backlog)
    running: list[Program] = []
    if settings.is_embedded:
        cloud_socket = listen(settings.host, settings.cloud_port, patience)
        running.append(Program("cloud", partial(programs.cloud_main, settings, cloud_socket), needed=True))
    _seed_and_import(settings)
    known = secrets.load(settings.state_dir, configured.encryption_keys)
    preparing.prepare_database(settings, known, upgrading=True)
    engine_main = partial(programs.engine_main, settings, known, alone=settings.has_one_engine)
    running.extend([Program("engine", engine_main)] * configured.engine.workers)
    for number in range(api.workers):
        ready = "" if number else f"Calor is ready at {settings.api_url}"
        main = partial(programs.api_main, settings, known, api_socket, cfn_socket, ready)
        running.append(Program("api", main))

    def before_stop() -> None:
        refuse_new_connections(api_socket)
        refuse_new_connections(cfn_socket)

    timeout = configured.stopping_seconds
    grace = GRACE_SECONDS if timeout is None else GRACE_SECONDS + timeout if timeout else None
    Supervisor(running, grace, before_stop).run()
    lock.truncate(0)
    lock.close()


def _seed_and_import(settings: Settings) -> None:
    """Done in parallel: both take most of the start-up time, and no other process needs the imports that seeding
    takes."""
    if not settings.is_embedded:
        preparing.share_imports()
        return
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        seeded = pool.submit(seeding.seed, settings)
        preparing.share_imports()
        seeded.result()
