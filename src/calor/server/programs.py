"""What the processes of a server run: the engine, the APIs, the embedded cloud."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from calor.observe.pending import places
from calor.observe.process import watch_loop
from calor.server import access, bell, seeding
from calor.server.apps import Apps, vault
from calor.server.bell import Bell
from calor.server.observing import instrumented
from calor.server.readiness import report_ready
from calor.server.secrets import Secrets
from calor.server.serving import ServedApp, serve
from calor.server.settings import Settings
from calor.server.template_library import configured_world

if TYPE_CHECKING:
    from calor.clouds.sessions import Cloud
    from calor.engine.run.users import UserServices

BOTH_GRACE = 5
ONE_GRACE = 20
"""Seconds that requests have to finish: a server with all parts has to stop sooner than a single API process."""

STOPPING_SECONDS = 30.0
"""How long a stopping engine waits for the database."""

log = logging.getLogger("calor")


def grace(settings: Settings, usual: float) -> float | None:
    """How many seconds a stopping process waits for unfinished requests or runs; None waits forever."""
    timeout = settings.configured.stopping_seconds
    return usual if timeout is None else timeout or None


def engine_main(settings: Settings, secrets: Secrets, ready: str = "", *, alone: bool) -> None:
    """Runs an engine until SIGTERM, then hands its runs over. `alone` promises that no other engine works on the
    database."""
    with instrumented(settings, "engine"), asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_engine(settings, secrets, ready, alone))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop, if it exists for the platform: runs of small stacks are mostly work of the event loop."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


async def _engine(settings: Settings, secrets: Secrets, ready: str, alone: bool) -> None:
    from calor.engine.keeping.keeper import Keeper
    from calor.store import database
    from calor.store.purging import Cleaner, Retention

    loop = asyncio.get_running_loop()
    engine = database.connect(
        settings.database_url, secrets.cipher, seal_all=settings.configured.seal_all, waits=True
    )
    cloud = access.home_cloud(settings, secrets)
    own = settings.configured.engine
    owners = vault(settings, cloud, secrets)
    owners.prefetch_token()
    keeper = Keeper(
        engine,
        configured_world(settings, waits=True),
        vault=owners,
        user_services=_user_services(settings, cloud, secrets),
        default_timeout=own.action_timeout,
        alone=alone,
        retry_limit=own.retry_limit,
        presence_folder=settings.engines,
        give_up=_end_hung,
    )
    retention = Retention(own.event_age, own.events_per_stack, own.deleted_stack_age, own.cleaning_batch)
    cleaning = asyncio.ensure_future(Cleaner(engine, retention).run(own.cleaning_interval))
    lag = asyncio.ensure_future(watch_loop())
    with _listening(settings, keeper.ring):
        task = asyncio.ensure_future(keeper.serve(lambda: report_ready(ready) if ready else None))
        longest = grace(settings, STOPPING_SECONDS)
        loop.add_signal_handler(signal.SIGTERM, _stop_soon, loop, task, longest)
        with contextlib.suppress(asyncio.CancelledError):
            await task
    cleaning.cancel()
    lag.cancel()
    keeper.writer.close()
    # Other engines can continue the runs at once.
    bell.ring(settings.bells)


def _stop_soon(loop: asyncio.AbstractEventLoop, task: asyncio.Future[None], longest: float | None) -> None:
    """Handing over needs the database. Exiting without it loses nothing: the leases expire."""
    task.cancel()
    if longest is not None:
        loop.call_later(longest, _give_up)


def _give_up() -> None:
    log.warning(
        "the engine exits without handing over its runs, perhaps because the database does not respond; it waits at %s",
        ", ".join(places()),
    )
    os._exit(1)


def _end_hung() -> None:
    log.critical("the engine hangs and is killed; its runs will be resumed")
    os._exit(1)


@contextlib.contextmanager
def _listening(settings: Settings, on_ring: Callable[[], None]) -> Iterator[None]:
    """Calls `on_ring` when the engine's bell is rung."""
    try:
        own = Bell(settings.bells)
    except OSError as error:
        log.warning("the wake-up pipe cannot be created (%s): polling for work every second", error)
        yield
        return

    def heard() -> None:
        own.drain()
        on_ring()

    loop = asyncio.get_running_loop()
    loop.add_reader(own.reader, heard)
    try:
        yield
    finally:
        loop.remove_reader(own.reader)
        own.close()


def _user_services(settings: Settings, cloud: Cloud, secrets: Secrets) -> UserServices:
    from calor.clouds.sessions import versioned
    from calor.engine.run.users import Addresses, UserServices

    auth = settings.configured.auth
    addresses = Addresses(
        orchestration=f"{settings.api_url}/v1",
        cfn=f"{settings.servers_cfn_url}/v1",
        identity=versioned(auth.clients_url or settings.public_auth_url),
        **({"region": auth.region} if auth.region else {}),
    )
    users = access.stack_users(settings, cloud)
    return UserServices(cloud, users, secrets.cipher, addresses, settings.agent_polling_interval)


def api_main(
    settings: Settings,
    secrets: Secrets,
    listening: socket.socket,
    cfn_listening: socket.socket,
    ready: str,
) -> None:
    """Serves both APIs until SIGTERM. Logs `ready`, if it is not empty, when they accept requests."""
    api = settings.configured.api
    with instrumented(settings, "api") as metrics, closing(Apps(settings, secrets, metrics.all)) as apps:
        apps.prefetch_token()
        both = [
            ServedApp(apps.cfn(), cfn_listening, api.cfn),
            ServedApp(apps.rest(), listening, api.rest, ready),
        ]
        serve(both, grace(settings, BOTH_GRACE), owned=False)


def rest_main(
    settings: Settings, secrets: Secrets, listening: socket.socket, owned: bool, ready: str
) -> None:
    """Serves the REST API until SIGTERM."""
    own = settings.configured.api.rest
    with instrumented(settings, "api") as metrics, closing(Apps(settings, secrets, metrics.all)) as apps:
        apps.prefetch_token()
        serve([ServedApp(apps.rest(), listening, own, ready)], grace(settings, ONE_GRACE), owned=owned)


def cfn_main(settings: Settings, secrets: Secrets, listening: socket.socket, owned: bool, ready: str) -> None:
    """Serves the CFN API until SIGTERM."""
    own = settings.configured.api.cfn
    with instrumented(settings, "api-cfn") as metrics, closing(Apps(settings, secrets, metrics.all)) as apps:
        apps.prefetch_token()
        serve([ServedApp(apps.cfn(), listening, own, ready)], grace(settings, ONE_GRACE), owned=owned)


def cloud_main(settings: Settings, listening: socket.socket) -> None:
    """Serves the embedded cloud until SIGTERM."""
    from calor.localcloud.server import serve

    with instrumented(settings, "cloud"):
        serve(seeding.cloud_config(settings), [listening])
