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

from calor.observe.process import watch_loop
from calor.server import access, bell, furnishing
from calor.server.apps import Apps, vault
from calor.server.bell import Bell
from calor.server.observing import observed
from calor.server.readiness import say_ready
from calor.server.secrets import Secrets
from calor.server.serving import Served, serve
from calor.server.settings import Settings
from calor.server.worlds import configured_world

if TYPE_CHECKING:
    from calor.clouds.sessions import Cloud
    from calor.engine.users import UserServices

BOTH_GRACE = 5
ONE_GRACE = 20
"""Seconds for requests under way: a server that does everything is to stop sooner than one of several."""

STOPPING_SECONDS = 30.0
"""How long an engine that is to stop waits for the database."""

log = logging.getLogger("calor")


def grace(settings: Settings, usual: float) -> float | None:
    """How many seconds a process that is to stop waits for what is under way; None is without end."""
    stated = settings.configured.stopping_seconds
    return usual if stated is None else stated or None


def engine_main(settings: Settings, secrets: Secrets, ready: str = "", *, alone: bool) -> None:
    """Takes up work until SIGTERM, then leaves what is under way to whoever comes next. `alone` promises that no
    other engine works on the database."""
    with observed(settings, "engine"):
        asyncio.run(_engine(settings, secrets, ready, alone))


async def _engine(settings: Settings, secrets: Secrets, ready: str, alone: bool) -> None:
    from calor.engine.cleaning import Cleaner, Keeping
    from calor.engine.keeper import Keeper
    from calor.store import database

    loop = asyncio.get_running_loop()
    engine = database.connect(
        settings.database_url, secrets.cipher, seal_all=settings.configured.seal_all, waits=True
    )
    cloud = access.home_cloud(settings, secrets)
    own = settings.configured.engine
    keeper = Keeper(
        engine,
        configured_world(settings, waits=True),
        vault=vault(settings, cloud, secrets),
        user_services=_user_services(settings, cloud, secrets),
        default_timeout=own.action_timeout,
        alone=alone,
        retry_limit=own.retry_limit,
        engines=settings.engines,
        give_up=_end_hung,
    )
    keeping = Keeping(own.event_age, own.events_per_stack, own.deleted_stack_age, own.cleaning_batch)
    cleaning = asyncio.ensure_future(Cleaner(engine, keeping).run(own.cleaning_interval))
    lag = asyncio.ensure_future(watch_loop())
    with _listening(settings, keeper.ring):
        task = asyncio.ensure_future(keeper.serve(lambda: say_ready(ready) if ready else None))
        longest = grace(settings, STOPPING_SECONDS)
        loop.add_signal_handler(signal.SIGTERM, _stop_soon, loop, task, longest)
        with contextlib.suppress(asyncio.CancelledError):
            await task
    cleaning.cancel()
    lag.cancel()
    keeper.writer.close()
    # Others can go on at once.
    bell.ring(settings.bells)


def _stop_soon(loop: asyncio.AbstractEventLoop, task: asyncio.Future[None], longest: float | None) -> None:
    """Handing over needs the database. While that is away there is nothing to be lost: leases run out by
    themselves."""
    task.cancel()
    if longest is not None:
        loop.call_later(longest, _give_up)


def _give_up() -> None:
    log.warning("the engine ends without having handed over its runs: the database does not answer")
    os._exit(1)


def _end_hung() -> None:
    log.critical("the engine hangs, and is ended; its runs are taken up again")
    os._exit(1)


@contextlib.contextmanager
def _listening(settings: Settings, rung: Callable[[], None]) -> Iterator[None]:
    """Hears the bell, if there can be one."""
    try:
        own = Bell(settings.bells)
    except OSError as error:
        log.warning("there is no doorbell (%s): work is looked for every second", error)
        yield
        return

    def heard() -> None:
        own.hush()
        rung()

    loop = asyncio.get_running_loop()
    loop.add_reader(own.reader, heard)
    try:
        yield
    finally:
        loop.remove_reader(own.reader)
        own.close()


def _user_services(settings: Settings, cloud: Cloud, secrets: Secrets) -> UserServices:
    from calor.clouds.sessions import versioned
    from calor.engine.users import Addresses, UserServices

    auth = settings.configured.auth
    addresses = Addresses(
        orchestration=f"{settings.api_url}/v1",
        cfn=f"{settings.servers_cfn_url}/v1",
        identity=versioned(auth.clients_url or settings.public_auth_url),
        **({"region": auth.region} if auth.region else {}),
    )
    return UserServices(cloud, access.stack_users(settings, cloud), secrets.cipher, addresses)


def api_main(
    settings: Settings,
    secrets: Secrets,
    listening: socket.socket,
    cfn_listening: socket.socket,
    ready: str,
) -> None:
    """Answers requests, those of both APIs, until SIGTERM. Says when it is ready, if there is a word for it."""
    api = settings.configured.api
    with observed(settings, "api") as exposed, closing(Apps(settings, secrets, exposed.all)) as apps:
        both = [Served(apps.cfn(), cfn_listening, api.cfn), Served(apps.rest(), listening, api.rest, ready)]
        serve(both, grace(settings, BOTH_GRACE), owned=False)


def rest_main(
    settings: Settings, secrets: Secrets, listening: socket.socket, owned: bool, ready: str
) -> None:
    """Answers the requests of the REST API alone."""
    own = settings.configured.api.rest
    with observed(settings, "api") as exposed, closing(Apps(settings, secrets, exposed.all)) as apps:
        serve([Served(apps.rest(), listening, own, ready)], grace(settings, ONE_GRACE), owned=owned)


def cfn_main(settings: Settings, secrets: Secrets, listening: socket.socket, owned: bool, ready: str) -> None:
    """Answers the requests of the CFN API alone."""
    own = settings.configured.api.cfn
    with observed(settings, "api-cfn") as exposed, closing(Apps(settings, secrets, exposed.all)) as apps:
        serve([Served(apps.cfn(), listening, own, ready)], grace(settings, ONE_GRACE), owned=owned)


def cloud_main(settings: Settings, listening: socket.socket) -> None:
    """Serves the embedded cloud until SIGTERM."""
    from calor.localcloud.server import serve

    with observed(settings, "cloud"):
        serve(furnishing.cloud_config(settings), [listening])
