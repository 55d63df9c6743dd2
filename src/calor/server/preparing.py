"""What has to be in order before a process begins: told once and in a line, not by every request that fails."""

from __future__ import annotations

import gc
import time
from dataclasses import replace

from calor.api.auth import load_backend
from calor.observe import tracing
from calor.server import access, furnishing, secrets, tls
from calor.server.secrets import Secrets
from calor.server.settings import Settings

PAUSE = 0.2


class DatabaseUnusable(Exception):
    """The database cannot be reached, or there is no driver for it."""


class DatabaseAway(DatabaseUnusable):
    """The database does not answer; it may later."""


class IdentityAway(Exception):
    """There is no identity service; it may come later."""


def check(settings: Settings) -> None:
    """What a process would fail at again and again is tried before there are any. Raises CertificateUnusable,
    PolicyUnusable, BackendMissing and TracingMissing."""
    api, auth = settings.configured.api, settings.configured.auth
    tracing.check(settings.configured.otlp_endpoint)
    for one in (api.rest, api.cfn):
        if one.cert_file and one.key_file:
            tls.check(one.cert_file, one.key_file)
    if auth.policy_file or auth.policy_dirs:
        access.policy(settings)
    if auth.flavor == "custombackend":
        load_backend(auth.backend, auth.backend_settings)


def prepare_database(settings: Settings, known: Secrets, *, upgrading: bool) -> None:
    """Sees that the tables are there and can be read. Unless it may bring them up to date, it refuses those that are
    not. Raises DatabaseUnusable and WrongKey."""
    from sqlalchemy.exc import OperationalError, SQLAlchemyError

    from calor.store import database, schema

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
    except (SQLAlchemyError, database.NotConnected, schema.Unusable) as error:
        reason = str(error).partition("\n")[0]
        kind = DatabaseAway if isinstance(error, OperationalError) else DatabaseUnusable
        raise kind(f"the database cannot be used: {reason}") from None


def found(settings: Settings, patience: float) -> tuple[Settings, Secrets]:
    """The settings and secrets of a process that others are started beside: what those make is waited for, for as
    many seconds. Raises IdentityAway, DatabaseUnusable and WrongKey."""
    end = time.monotonic() + patience
    while True:
        try:
            return _found(settings)
        except (DatabaseAway, IdentityAway):
            if time.monotonic() >= end:
                raise
        time.sleep(PAUSE)


def _found(settings: Settings) -> tuple[Settings, Secrets]:
    known = secrets.load(settings.state_dir, settings.configured.encryption_keys)
    if settings.is_embedded:
        if access.EMBEDDED_ACCOUNT not in known.passwords:
            raise IdentityAway(
                "there is no identity service: configure [keystone_authtoken], or start `calor cloud` with the same "
                "--state-dir"
            )
        settings = replace(settings, cloud=furnishing.noted_address(settings.state_dir))
    # A database that was configured may be used by others, of an older version, too.
    prepare_database(settings, known, upgrading=settings.configured.database_url is None)
    _ask_identity(settings)
    return settings, known


def _ask_identity(settings: Settings) -> None:
    import requests

    try:
        answer = requests.get(settings.auth_url, verify=access.verifying(settings), timeout=10)
    except requests.RequestException as error:
        raise IdentityAway(
            f"the identity service at {settings.auth_url} does not answer ({type(error).__name__})"
        ) from None
    if answer.status_code >= 500:
        raise IdentityAway(f"the identity service at {settings.auth_url} answers {answer.status_code}")


def share_imports() -> None:
    """Imports what several processes use before they part, and keeps the collector from touching it, so that
    its memory stays shared."""
    import keystoneauth1.session  # noqa: F401
    import sqlalchemy  # noqa: F401
    import starlette.applications  # noqa: F401
    import uvicorn  # noqa: F401

    import calor.language.request
    import calor.service.commands
    import calor.types.world  # noqa: F401
    from calor.types import catalogue

    # A plug-in that cannot be used is told once, when the server starts.
    catalogue.load_plugins()
    gc.collect()
    gc.freeze()
    # Answers and walks make many small things that live for milliseconds; looking through them costs a sixth of
    # their time.
    gc.set_threshold(50_000, 20, 20)
