"""The cloud as a program: made ready, then served until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
from contextlib import suppress

import uvicorn

from calor.localcloud.app import cloud_app
from calor.localcloud.config import Announced, CloudConfig, Credentials
from calor.localcloud.identity.furnishing import announce, furnish_accounts
from calor.localcloud.identity.records import Records
from calor.localcloud.store import Store

log = logging.getLogger("calor.localcloud")


def furnish(config: CloudConfig) -> Credentials:
    """Makes the database ready to be served; again and again without harm. Not while it is served."""
    store = Store(config.database)
    try:
        records = Records(store)
        passwords = furnish_accounts(records)
        identity = Announced("identity", "keystone", f"{config.url}/identity")
        network = Announced("network", "neutron", f"{config.url}/network")
        announce(records, (identity, network, *config.announced))
        _furnish_services(store, config, records)
    finally:
        store.close()
    return Credentials(passwords)


def serve(config: CloudConfig, sockets: list[socket.socket] | None = None) -> None:
    """Serves a furnished database in the foreground until SIGTERM or SIGINT, then closes it and returns. Whoever
    has opened the listening sockets passes them."""
    store = Store(config.database)
    server = _Server(
        uvicorn.Config(
            cloud_app(store, config.folder),
            host=config.host,
            port=config.port,
            log_config=None,
            access_log=False,
            ws="none",
            lifespan="on",
            server_header=False,
            # An idle client must not keep the cloud from stopping.
            timeout_graceful_shutdown=3,
        )
    )
    # Once it has stopped, uvicorn raises the signal anew. SIGTERM shall not end the process there, before the store
    # is closed, but come out as SIGINT does.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets)
    finally:
        signal.signal(signal.SIGTERM, before)
        store.close()


class _Server(uvicorn.Server):
    """Says in one line when it can be reached."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            log.info("The cloud answers at http://%s:%s", self.config.host, self.config.port)
