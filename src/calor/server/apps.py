"""Builds the REST and CFN APIs from a server's settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from calor.localcloud.config import GUEST_SOURCE_ADDRESS
from calor.server import access, bell
from calor.server.secrets import Secrets
from calor.server.settings import Settings
from calor.server.template_library import configured_world

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

    from calor.api.cfn.endpoint import EndpointSettings
    from calor.api.settings import ApiSettings
    from calor.clouds.ec2 import ReceivedRequest, Signer
    from calor.clouds.sessions import Cloud
    from calor.service.commands import Limits
    from calor.service.prices import PriceList
    from calor.stacks.vault import Vault
    from calor.store.cipher import Cipher


class Apps:
    """What both APIs of a process share: the database, the writer, the resource types. `metrics` returns the metrics of
    all processes."""

    def __init__(self, settings: Settings, secrets: Secrets, metrics: Callable[[], str]) -> None:
        from calor.engine.run.presence import is_dead
        from calor.service.authorization import Authorizer
        from calor.service.commands import Commands
        from calor.service.queries import Queries
        from calor.store import database
        from calor.store.writer import Writer

        self._settings = settings
        self._metrics = metrics
        self._cipher = secrets.cipher
        self._database = database.connect(
            settings.database_url, self._cipher, seal_all=settings.configured.seal_all
        )
        self._writer = Writer(self._database)
        self._world = configured_world(settings)
        self._policy = access.policy(settings)
        self._cloud = access.home_cloud(settings, secrets)
        self._vault = vault(settings, self._cloud, secrets)
        queries = Queries(
            self._database,
            self._world,
            hidden_tags=settings.configured.api.hidden_tags,
            max_resources=settings.configured.limits.resources_per_stack,
            is_dead=partial(is_dead, settings.engines),
        )
        self._commands = Commands(
            self._database,
            self._writer,
            self._world,
            partial(bell.ring, settings.bells),
            limits=_limits(settings),
            policy=self._policy,
            vault=self._vault,
            accepted=queries.definitions.keep,
        )
        self._authorizer = Authorizer(queries, self._commands, self._policy)

    def prefetch_token(self) -> None:
        """Starts threads: do not call this before forking."""
        self._cloud.prefetch_token()
        self._vault.prefetch_token()

    def rest(self) -> ASGIApp:
        from calor.api.app import create_app

        return create_app(
            self._authorizer,
            access.authenticator(self._settings, self._cloud, self._policy),
            _api_settings(self._settings),
            self._metrics,
        )

    def cfn(self) -> Starlette:
        from calor.api.cfn.app import create_cfn_app
        from calor.api.cfn.authentication import Authentication

        settings = self._settings
        authentication = Authentication(
            verify=partial(_signer_of, access.signature_clouds(settings, self._cloud)),
            is_admin=partial(access.is_admin, self._policy),
            tokens=access.token_authenticator(settings, self._cloud, self._policy),
        )
        return create_cfn_app(
            self._database,
            self._authorizer,
            authentication,
            _cfn_settings(settings, self._cipher),
            access_log=settings.configured.logging.requests,
        )

    @property
    def largest_body(self) -> int:
        return self._settings.configured.api.largest_body

    def close(self) -> None:
        """Flushes pending writes."""
        self._writer.close()


def vault(settings: Settings, cloud: Cloud, secrets: Secrets) -> Vault:
    from calor.stacks.vault import Vault

    trusted = access.trusted_cloud(settings, cloud)
    return Vault(trusted, secrets.cipher, settings.configured.auth.delegated_roles)


def _limits(settings: Settings) -> Limits:
    from calor.service.commands import Limits

    limits = settings.configured.limits
    return Limits(
        stacks_per_project=limits.stacks_per_project,
        resources_per_stack=limits.resources_per_stack,
        snapshots_per_stack=limits.snapshots_per_stack,
        configs_per_project=limits.configs_per_project,
        deployments_per_project=limits.deployments_per_project,
        signals_per_resource=limits.signals_per_resource,
        preview_seconds=limits.preview_seconds,
    )


def _api_settings(settings: Settings) -> ApiSettings:
    from calor import __version__
    from calor.api.settings import ApiSettings, Cors

    api = settings.configured.api
    revision = api.revision or __version__
    return ApiSettings(
        largest_body=api.largest_body,
        body_seconds=api.body_seconds,
        previews_at_once=api.previews_at_once,
        streams_per_project=api.streams_per_project,
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
        converge=settings.configured.engine.converge,
        access_log=settings.configured.logging.requests,
        servers_come_from=GUEST_SOURCE_ADDRESS,
        revision=revision,
        engine_revision=revision,
    )


def _cfn_settings(settings: Settings, cipher: Cipher) -> EndpointSettings:
    from calor.api.cfn.actions.call import ActionSettings
    from calor.api.cfn.endpoint import EndpointSettings
    from calor.api.cfn.estimate_pages import EstimatePages

    api = settings.configured.api
    return EndpointSettings(
        ActionSettings(
            largest_template=settings.configured.limits.template_size,
            converge=settings.configured.engine.converge,
            prices=prices(settings),
            estimate_pages=EstimatePages(cipher),
        ),
        previews_at_once=api.previews_at_once,
        largest_body=api.largest_body,
        trust_proxy_headers=api.trust_proxy_headers,
    )


def prices(settings: Settings) -> PriceList:
    """Raises PricesUnusable."""
    from calor.service.prices import PriceList, read_prices

    file = settings.configured.api.price_list
    return PriceList() if file is None else read_prices(file)


def _signer_of(clouds: Sequence[Cloud], received: ReceivedRequest) -> Signer:
    """The signer according to the first cloud that accepts the signature. Raises what the last cloud raises."""
    from calor.clouds.ec2 import claim_of, signer_of
    from calor.clouds.errors import CloudError

    claim = claim_of(received)
    assert claim is not None
    for cloud in clouds[:-1]:
        with suppress(CloudError):
            return signer_of(cloud, received, claim)
    return signer_of(clouds[-1], received, claim)
