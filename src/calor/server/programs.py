"""What the processes of a server run: the engine, the API, the embedded cloud."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from calor.observe.process import watch_loop
from calor.server import access
from calor.server.bell import Bell
from calor.server.observing import observed
from calor.server.secrets import Secrets
from calor.server.settings import Settings
from calor.server.worlds import configured_world

if TYPE_CHECKING:
    from calor.api.settings import ApiSettings
    from calor.clouds.ec2 import ReceivedRequest, Signer
    from calor.clouds.sessions import Cloud
    from calor.config.settings import Listening
    from calor.engine.users import UserServices
    from calor.engine.vault import Vault
    from calor.observe.exposing import Exposed
    from calor.service.commands import Limits

log = logging.getLogger("calor")


def engine_main(settings: Settings, secrets: Secrets, bell: Bell) -> None:
    """Takes up work until SIGTERM."""
    with observed(settings, "engine"):
        asyncio.run(_engine(settings, secrets, bell))


def _vault(settings: Settings, cloud: Cloud, secrets: Secrets) -> Vault:
    from calor.engine.vault import Vault

    trusted = access.trusted_cloud(settings, cloud)
    return Vault(trusted, secrets.cipher, settings.configured.auth.delegated_roles)


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


async def _engine(settings: Settings, secrets: Secrets, bell: Bell) -> None:
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
        configured_world(settings),
        vault=_vault(settings, cloud, secrets),
        user_services=_user_services(settings, cloud, secrets),
        default_timeout=own.action_timeout,
        # The state directory has one server, and that one engine; both end before they are started again.
        alone=settings.has_one_engine,
    )
    keeping = Keeping(own.event_age, own.events_per_stack, own.deleted_stack_age, own.cleaning_batch)
    cleaning = asyncio.ensure_future(Cleaner(engine, keeping).run(own.cleaning_interval))
    lag = asyncio.ensure_future(watch_loop())

    def rung() -> None:
        bell.hush()
        keeper.ring()

    loop.add_reader(bell.reader, rung)
    task = asyncio.ensure_future(keeper.serve())
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task
    cleaning.cancel()
    lag.cancel()
    keeper.writer.close()


def api_main(
    settings: Settings,
    secrets: Secrets,
    bell: Bell,
    listening: socket.socket,
    cfn_listening: socket.socket,
    ready: str,
) -> None:
    """Answers requests, those of both APIs, until SIGTERM. Says when it is ready, if there is a word for it."""
    with observed(settings, "api") as exposed:
        _api(settings, secrets, bell, listening, cfn_listening, ready, exposed)


def _api(
    settings: Settings,
    secrets: Secrets,
    bell: Bell,
    listening: socket.socket,
    cfn_listening: socket.socket,
    ready: str,
    exposed: Exposed,
) -> None:
    from calor.api.app import create_app
    from calor.api.cfn.app import create_cfn_app
    from calor.service.commands import Commands
    from calor.service.queries import Queries
    from calor.store import database
    from calor.store.writer import Writer

    engine = database.connect(settings.database_url, secrets.cipher, seal_all=settings.configured.seal_all)
    api = settings.configured.api
    world = configured_world(settings)
    policy = access.policy(settings)
    writer = Writer(engine)
    cloud = access.home_cloud(settings, secrets)
    commands = Commands(
        engine,
        writer,
        world,
        bell.ring,
        limits=_limits(settings),
        check_types=policy.enforce_types,
        vault=_vault(settings, cloud, secrets),
    )
    app = create_app(
        Queries(engine, world, hidden_tags=api.hidden_tags),
        commands,
        access.authenticator(settings, cloud, policy),
        policy,
        _api_settings(settings),
        exposed.all,
    )
    access_log = settings.configured.logging.requests
    verify = partial(_signer_of, access.signatures_cloud(settings, cloud))
    cfn_app = create_cfn_app(engine, commands, verify, access_log=access_log)
    _serve([_Served(cfn_app, cfn_listening, api.cfn), _Served(app, listening, api.rest, ready)])
    writer.close()


def _limits(settings: Settings) -> Limits:
    from calor.service.commands import Limits

    limits = settings.configured.limits
    return Limits(
        stacks_per_project=limits.stacks_per_project,
        resources_per_stack=limits.resources_per_stack,
        snapshots_per_stack=limits.snapshots_per_stack,
        configs_per_project=limits.configs_per_project,
        deployments_per_project=limits.deployments_per_project,
    )


def _api_settings(settings: Settings) -> ApiSettings:
    from calor import __version__
    from calor.api.settings import ApiSettings, Cors

    api = settings.configured.api
    revision = api.revision or __version__
    return ApiSettings(
        largest_body=api.largest_body,
        largest_template=settings.configured.limits.template_size,
        trust_proxy_headers=api.trust_proxy_headers,
        cors=Cors(
            origins=api.cors.origins,
            credentials=api.cors.credentials,
            methods=api.cors.methods,
            headers=api.cors.headers,
            expose_headers=api.cors.expose_headers,
            max_age=api.cors.max_age,
        ),
        enable_abandon=api.enable_abandon,
        enable_adopt=api.enable_adopt,
        access_log=settings.configured.logging.requests,
        revision=revision,
        engine_revision=revision,
    )


def _signer_of(cloud: Cloud, received: ReceivedRequest) -> Signer:
    from calor.clouds.ec2 import claim_of, signer_of

    claim = claim_of(received)
    assert claim is not None
    return signer_of(cloud, received, claim)


def cloud_main(settings: Settings, listening: socket.socket) -> None:
    """Serves the embedded cloud until SIGTERM."""
    from calor.localcloud.server import serve
    from calor.server.embedded import cloud_config

    with observed(settings, "cloud"):
        serve(cloud_config(settings), [listening])


@dataclass(frozen=True, slots=True)
class _Served:
    """An app, the socket it answers on, its certificate, and what to say when it does."""

    app: Any
    socket: socket.socket
    listening: Listening
    ready: str = ""


def _serve(apps: Sequence[_Served]) -> None:
    """Serves apps until SIGTERM."""
    import uvicorn

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Several servers run here: they are stopped together, below."""
            yield

    servers = []
    for one in apps:
        config = uvicorn.Config(
            one.app,
            ssl_certfile=one.listening.cert_file,
            ssl_keyfile=one.listening.key_file,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="off",
            server_header=False,
            # The app itself decides whom to believe.
            proxy_headers=False,
            timeout_graceful_shutdown=5,
        )
        servers.append(Server(config))

    async def run() -> None:
        def stop() -> None:
            for server in servers:
                server.should_exit = True

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        lag = asyncio.ensure_future(watch_loop())
        tasks = [
            asyncio.ensure_future(server.serve([one.socket]))
            for server, one in zip(servers, apps, strict=True)
        ]
        while not all(server.started for server in servers) and not any(task.done() for task in tasks):
            await asyncio.sleep(0.01)
        for one in apps:
            if one.ready:
                log.info(one.ready)
        await asyncio.gather(*tasks)
        lag.cancel()

    with asyncio.Runner(loop_factory=servers[0].config.get_loop_factory()) as runner:
        runner.run(run())
