"""Checks before a process starts, so that a misconfiguration is reported once, not by every failing request."""

from __future__ import annotations

import gc
import time
from dataclasses import replace

from calor.api.auth import load_backend
from calor.observe import tracing
from calor.server import access, secrets, seeding, tls
from calor.server.apps import prices
from calor.server.secrets import Secrets
from calor.server.settings import Settings

PAUSE = 0.2


class DatabaseUnusable(Exception):
    """The database cannot be reached, or there is no driver for it."""


class DatabaseUnavailable(DatabaseUnusable):
    """The database does not respond yet."""


class IdentityUnavailable(Exception):
    """The identity service does not respond yet, or none is configured."""


def check(settings: Settings) -> None:
    """Checks the files and plug-ins that the settings name. Raises CertificateUnusable, PolicyUnusable, PricesUnusable,
    BackendMissing and TracingMissing."""
    api, auth = settings.configured.api, settings.configured.auth
    tracing.check(settings.configured.otlp_endpoint)
    for one in (api.rest, api.cfn):
        if one.cert_file and one.key_file:
            tls.check(one.cert_file, one.key_file)
    if auth.policy_file or auth.policy_dirs:
        access.policy(settings)
    if api.price_list is not None:
        prices(settings)
    if auth.flavor == "custombackend":
        load_backend(auth.backend, auth.backend_settings)


def prepare_database(settings: Settings, known: Secrets, *, upgrading: bool) -> None:
    """Creates or upgrades the tables if `upgrading`, else requires the current revision; checks that the key fits.
    Raises DatabaseUnusable and WrongKey."""
    from calor.store import database, schema
    from calor.store.errors import DatabaseError, Unreachable

    try:
        engine = database.connect(settings.database_url, known.cipher)
        if upgrading:
            schema.upgrade(engine)
        elif (revision := schema.revision(engine)) != schema.HEAD:
            has = f"the revision {revision}" if revision else "no tables"
            raise DatabaseUnusable(
                f"the database has {has}, but needs the revision {schema.HEAD}: run `calor db upgrade`"
            )
        database.seal_of(engine)
        engine.dispose()
    except (DatabaseError, database.NotConnected, schema.Unusable) as error:
        reason = str(error).partition("\n")[0]
        kind = DatabaseUnavailable if isinstance(error, Unreachable) else DatabaseUnusable
        raise kind(f"the database cannot be used: {reason}") from None


def wait_until_ready(settings: Settings, patience: float) -> tuple[Settings, Secrets]:
    """The settings and secrets of a process, once the identity service and the database are available, which may be
    started at the same time. Raises IdentityUnavailable, DatabaseUnusable and WrongKey after `patience` seconds."""
    end = time.monotonic() + patience
    while True:
        try:
            return _try_ready(settings)
        except (DatabaseUnavailable, IdentityUnavailable):
            if time.monotonic() >= end:
                raise
        time.sleep(PAUSE)


def _try_ready(settings: Settings) -> tuple[Settings, Secrets]:
    known = secrets.load(settings.state_dir, settings.configured.encryption_keys)
    if settings.is_embedded:
        if access.EMBEDDED_ACCOUNT not in known.passwords:
            raise IdentityUnavailable(
                "no identity service: configure [keystone_authtoken], or start `calor cloud` with the same "
                "--state-dir"
            )
        settings = replace(settings, cloud=seeding.saved_cloud_address(settings.state_dir))
    # A configured database may be shared with processes of an older version.
    prepare_database(settings, known, upgrading=settings.configured.database_url is None)
    _check_identity(settings)
    return settings, known


def _check_identity(settings: Settings) -> None:
    import requests

    try:
        response = requests.get(settings.auth_url, verify=access.verify_identity(settings), timeout=10)
    except requests.RequestException as error:
        raise IdentityUnavailable(
            f"the identity service at {settings.auth_url} does not respond ({type(error).__name__})"
        ) from None
    if response.status_code >= 500:
        raise IdentityUnavailable(
            f"the identity service at {settings.auth_url} responds with {response.status_code}"
        )


def share_imports() -> None:
    """Imports what several processes use before they are forked, and freezes it for the garbage collector, so that its
    memory stays shared."""
    import keystoneauth1.session  # noqa: F401
    import starlette.applications  # noqa: F401
    import uvicorn  # noqa: F401

    import calor.language.request
    import calor.service.commands
    import calor.store.database
    import calor.types.world  # noqa: F401
    from calor.types import catalogue

    # An unusable plug-in is logged once, when the server starts.
    catalogue.load_plugins()
    gc.collect()
    gc.freeze()
    # Requests and runs create many short-lived objects; with the default thresholds, collecting them takes a sixth of
    # the time.
    gc.set_threshold(50_000, 20, 20)
