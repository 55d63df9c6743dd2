"""What the processes of a server run: the engine, the API, the embedded cloud."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from typing import TYPE_CHECKING, Any

from calor.server.bell import Bell
from calor.server.secrets import Secrets
from calor.server.settings import Settings

if TYPE_CHECKING:
    from calor.engine.vault import Vault

log = logging.getLogger("calor")


def engine_main(settings: Settings, secrets: Secrets, bell: Bell) -> None:
    """Takes up work until SIGTERM."""
    asyncio.run(_engine(settings, secrets, bell))


def _vault(settings: Settings, secrets: Secrets) -> Vault:
    from calor.clouds.sessions import Cloud, ServiceAccount
    from calor.engine.vault import Vault
    from calor.store.cipher import Cipher

    account = ServiceAccount(settings.auth_url, "heat", secrets.passwords["heat"])
    return Vault(Cloud(account), Cipher(secrets.key))


async def _engine(settings: Settings, secrets: Secrets, bell: Bell) -> None:
    from calor.engine.keeper import Keeper
    from calor.store import database
    from calor.types.world import offline_world

    loop = asyncio.get_running_loop()
    engine = database.connect(settings.database_url)
    keeper = Keeper(engine, offline_world(), vault=_vault(settings, secrets))

    def rung() -> None:
        bell.hush()
        keeper.ring()

    loop.add_reader(bell.reader, rung)
    task = asyncio.ensure_future(keeper.serve())
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task
    keeper.writer.close()


def api_main(settings: Settings, secrets: Secrets, bell: Bell, listening: socket.socket) -> None:
    """Answers requests until SIGTERM."""
    from calor.api.app import create_app
    from calor.api.auth.keystone import KeystoneAuthenticator, ServiceUser
    from calor.api.policy import Policy
    from calor.api.settings import ApiSettings
    from calor.service.commands import Commands
    from calor.service.queries import Queries
    from calor.store import database
    from calor.store.writer import Writer
    from calor.types.world import offline_world

    engine = database.connect(settings.database_url)
    world = offline_world()
    policy = Policy()
    writer = Writer(engine)
    app = create_app(
        Queries(engine, world, hidden_tags=("hidden",)),
        Commands(
            engine,
            writer,
            world,
            bell.ring,
            check_types=policy.enforce_types,
            vault=_vault(settings, secrets),
        ),
        KeystoneAuthenticator(
            settings.auth_url,
            ServiceUser("heat", secrets.passwords["heat"]),
            lambda roles, project: policy.is_admin(roles, is_admin_project=project),
        ),
        policy,
        ApiSettings(largest_body=64 * 1024 * 1024, enable_abandon=True, enable_adopt=True),
    )
    _serve(app, listening, f"Calor is ready at {settings.url(settings.port)}")
    writer.close()


def cloud_main(settings: Settings, listening: socket.socket) -> None:
    """Serves the embedded cloud until SIGTERM."""
    from calor.localcloud.server import serve
    from calor.server.embedded import cloud_config

    serve(cloud_config(settings), [listening])


def _serve(app: Any, listening: socket.socket, ready: str) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            log.info(ready)

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    # uvicorn raises the signal anew when it has stopped; what comes after it has to be done first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run([listening])
