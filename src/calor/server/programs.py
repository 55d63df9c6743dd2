"""What the processes of a server run: the engine, the API, the embedded cloud."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from calor.server.bell import Bell
from calor.server.secrets import Secrets
from calor.server.settings import Settings

if TYPE_CHECKING:
    from calor.clouds.ec2 import ReceivedRequest, Signer
    from calor.clouds.sessions import Cloud
    from calor.engine.users import UserServices
    from calor.engine.vault import Vault

log = logging.getLogger("calor")


def engine_main(settings: Settings, secrets: Secrets, bell: Bell) -> None:
    """Takes up work until SIGTERM."""
    asyncio.run(_engine(settings, secrets, bell))


def _cloud(settings: Settings, secrets: Secrets) -> Cloud:
    from calor.clouds.sessions import Cloud, ServiceAccount

    return Cloud(ServiceAccount(settings.auth_url, "heat", secrets.passwords["heat"]))


def _vault(cloud: Cloud, secrets: Secrets) -> Vault:
    from calor.engine.vault import Vault

    return Vault(cloud, secrets.cipher)


def _user_services(settings: Settings, cloud: Cloud, secrets: Secrets) -> UserServices:
    from calor.clouds.stack_users import StackUsers
    from calor.engine.users import Addresses, UserServices

    addresses = Addresses(
        orchestration=f"{settings.url(settings.port)}/v1",
        cfn=f"{settings.url(settings.cfn_port)}/v1",
        identity=f"{settings.auth_url}/v3",
    )
    return UserServices(cloud, StackUsers(cloud), secrets.cipher, addresses)


async def _engine(settings: Settings, secrets: Secrets, bell: Bell) -> None:
    from calor.engine.keeper import Keeper
    from calor.store import database
    from calor.types.world import offline_world

    loop = asyncio.get_running_loop()
    engine = database.connect(
        settings.database_url,
        secrets.cipher,
        seal_all=settings.encrypt_parameters_and_properties,
        waits=True,
    )
    cloud = _cloud(settings, secrets)
    keeper = Keeper(
        engine,
        offline_world(),
        vault=_vault(cloud, secrets),
        user_services=_user_services(settings, cloud, secrets),
    )

    def rung() -> None:
        bell.hush()
        keeper.ring()

    loop.add_reader(bell.reader, rung)
    task = asyncio.ensure_future(keeper.serve())
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task
    keeper.writer.close()


def api_main(
    settings: Settings, secrets: Secrets, bell: Bell, listening: socket.socket, cfn_listening: socket.socket
) -> None:
    """Answers requests, those of both APIs, until SIGTERM."""
    from calor.api.app import create_app
    from calor.api.auth.keystone import KeystoneAuthenticator, ServiceUser
    from calor.api.cfn.app import create_cfn_app
    from calor.api.policy import Policy
    from calor.api.settings import ApiSettings
    from calor.service.commands import Commands
    from calor.service.queries import Queries
    from calor.store import database
    from calor.store.writer import Writer
    from calor.types.world import offline_world

    engine = database.connect(
        settings.database_url, secrets.cipher, seal_all=settings.encrypt_parameters_and_properties
    )
    world = offline_world()
    policy = Policy()
    writer = Writer(engine)
    cloud = _cloud(settings, secrets)
    commands = Commands(
        engine,
        writer,
        world,
        bell.ring,
        check_types=policy.enforce_types,
        vault=_vault(cloud, secrets),
    )
    app = create_app(
        Queries(engine, world, hidden_tags=("hidden",)),
        commands,
        KeystoneAuthenticator(
            settings.auth_url,
            ServiceUser("heat", secrets.passwords["heat"]),
            lambda roles, project: policy.is_admin(roles, is_admin_project=project),
        ),
        policy,
        ApiSettings(largest_body=64 * 1024 * 1024, enable_abandon=True, enable_adopt=True),
    )
    cfn_app = create_cfn_app(engine, commands, partial(_signer_of, cloud))
    ready = f"Calor is ready at {settings.url(settings.port)}"
    _serve([(cfn_app, cfn_listening, ""), (app, listening, ready)])
    writer.close()


def _signer_of(cloud: Cloud, received: ReceivedRequest) -> Signer:
    from calor.clouds.ec2 import claim_of, signer_of

    claim = claim_of(received)
    assert claim is not None
    return signer_of(cloud, received, claim)


def cloud_main(settings: Settings, listening: socket.socket) -> None:
    """Serves the embedded cloud until SIGTERM."""
    from calor.localcloud.server import serve
    from calor.server.embedded import cloud_config

    serve(cloud_config(settings), [listening])


def _serve(apps: Sequence[tuple[Any, socket.socket, str]]) -> None:
    """Serves apps, each on its socket, until SIGTERM; says of each that it is ready, if there is a word for it."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Several servers run here: they are stopped together, below."""
            yield

    servers = []
    for app, _, _ in apps:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        servers.append(Server(config))

    async def run() -> None:
        def stop() -> None:
            for server in servers:
                server.should_exit = True

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        tasks = [
            asyncio.ensure_future(server.serve([listening]))
            for server, (_, listening, _) in zip(servers, apps, strict=True)
        ]
        while not all(server.started for server in servers) and not any(task.done() for task in tasks):
            await asyncio.sleep(0.01)
        for _, _, ready in apps:
            if ready:
                log.info(ready)
        await asyncio.gather(*tasks)

    with asyncio.Runner(loop_factory=servers[0].config.get_loop_factory()) as runner:
        runner.run(run())
