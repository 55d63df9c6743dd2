"""Initializes the cloud, and serves it until it is stopped."""

from __future__ import annotations

import logging
import signal
import socket
from contextlib import suppress

import uvicorn

from calor.localcloud.backend_selection import check_backend, choose_backend
from calor.localcloud.catalog import own_services
from calor.localcloud.config import CloudConfig, Credentials
from calor.localcloud.identity.records import Records
from calor.localcloud.identity.seeding import register_services, seed_accounts
from calor.localcloud.store import Store

IDLE_SECONDS = 75
"""The timeout of idle connections: longer than that of clients, so that they close first."""

log = logging.getLogger("calor.localcloud")


def initialize(config: CloudConfig) -> Credentials:
    """Creates accounts, and registers services in the catalog. Idempotent, but not to be called while the cloud is
    served. Raises BackendUnavailable if the configured backend is not available."""
    if config.backend == "linux":
        check_backend(config.backend, config.folder)
    store = Store(config.database)
    try:
        records = Records(store)
        passwords = seed_accounts(records)
        register_services(records, (*own_services(config), *config.announced))
    finally:
        store.close()
    return Credentials(passwords)


def serve(config: CloudConfig, sockets: list[socket.socket] | None = None) -> None:
    """Serves an initialized database in the foreground until SIGTERM or SIGINT. With `sockets`, uses these
    listening sockets."""
    # Slow to import, and not needed by `initialize`.
    from calor.localcloud.app import cloud_app

    backend = choose_backend(config.backend, config.folder, config.host_services)
    store = Store(config.database)
    server = _Server(
        uvicorn.Config(
            cloud_app(store, config.folder, backend=backend, allowed=config.fetch_allowed),
            host=config.host,
            port=config.port,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="on",
            server_header=False,
            timeout_keep_alive=IDLE_SECONDS,
            # An idle client must not keep the cloud from stopping.
            timeout_graceful_shutdown=3,
        )
    )
    # Once it has stopped, uvicorn raises the signal again. SIGTERM must not end the process there, before the store
    # is closed, but come out as SIGINT does.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets)
    finally:
        signal.signal(signal.SIGTERM, before)
        store.close()


class _Server(uvicorn.Server):
    """Logs when the cloud is listening."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            log.info("The cloud is listening on http://%s:%s", self.config.host, self.config.port)
