"""The cloud as a program: made ready, then served until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress

import uvicorn

from calor.localcloud.backends import check, chosen
from calor.localcloud.config import Announced, CloudConfig, Credentials
from calor.localcloud.identity.furnishing import announce, furnish_accounts
from calor.localcloud.identity.records import Records
from calor.localcloud.store import Store

log = logging.getLogger("calor.localcloud")


def furnish(config: CloudConfig) -> Credentials:
    """Makes accounts and catalog ready to be served; again and again without harm. Not while they are served. Raises
    BackendUnavailable where they cannot be with the machinery that is wanted."""
    if config.backend == "linux":
        check(config.backend, config.folder)
    store = Store(config.database)
    try:
        records = Records(store)
        passwords = furnish_accounts(records)
        announce(records, (*_own_services(config), *config.announced))
    finally:
        store.close()
    return Credentials(passwords)


_OWN_SERVICES = (
    ("identity", "keystone", "identity"),
    ("compute", "nova", "compute/v2.1"),
    ("image", "glance", "image"),
    ("network", "neutron", "network"),
    ("volumev3", "cinder", "volume/v3/%(project_id)s"),
    ("block-storage", "cinder", "volume/v3/%(project_id)s"),
    ("object-store", "swift", "object-store/v1/AUTH_%(project_id)s"),
    ("placement", "placement", "placement"),
)


def _own_services(config: CloudConfig) -> Iterator[Announced]:
    public, internal = config.public_url or config.url, config.internal_url or config.url
    for type_, name, path in _OWN_SERVICES:
        yield Announced(type_, name, f"{public}/{path}", f"{internal}/{path}")


def serve(config: CloudConfig, sockets: list[socket.socket] | None = None) -> None:
    """Serves a furnished database in the foreground until SIGTERM or SIGINT, then closes it and returns. Whoever
    has opened the listening sockets passes them."""
    # Slow to import, and not needed to furnish.
    from calor.localcloud.app import cloud_app

    machinery = chosen(config.backend, config.folder, config.doors)
    store = Store(config.database)
    server = _Server(
        uvicorn.Config(
            cloud_app(store, config.folder, machinery=machinery, allowed=config.fetch_allowed),
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
