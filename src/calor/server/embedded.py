"""The embedded server: everything in one place, with no set-up."""

from __future__ import annotations

import fcntl
import gc
import logging
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TextIO

from calor.api.auth import load_backend
from calor.localcloud.config import Announced, CloudConfig
from calor.observe import tracing
from calor.server import access, programs, secrets, tls
from calor.server.bell import Bell
from calor.server.settings import Settings
from calor.server.sockets import listen
from calor.server.supervisor import Program, Supervisor

PARTING_SECONDS = 5.0

log = logging.getLogger("calor")


class StateDirTaken(Exception):
    """Another server uses the state directory."""


class DatabaseUnusable(Exception):
    """The database cannot be reached, or there is no driver for it."""


def cloud_config(settings: Settings) -> CloudConfig:
    return CloudConfig(
        settings.public_host,
        settings.cloud_port,
        settings.cloud_database,
        (
            Announced("orchestration", "heat", f"{settings.api_url}/v1/%(project_id)s"),
            Announced("cloudformation", "heat-cfn", f"{settings.cfn_url}/v1"),
        ),
    )


def serve(settings: Settings) -> None:
    """Runs a server in the foreground until it is told to stop. Raises PortTaken, StateDirTaken,
    DatabaseUnusable, WrongKey, and what `_check` does."""
    _check(settings)
    configured = settings.configured
    api = configured.api
    settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    hold, patience = _lock(settings.state_dir / "lock")
    api_socket = listen(settings.host, settings.port, patience, api.rest.backlog)
    cfn_socket = listen(settings.cfn_host, settings.cfn_port, patience, api.cfn.backlog)
    running: list[Program] = []
    passwords: Mapping[str, str] = {}
    if settings.is_embedded:
        cloud_socket = listen(settings.host, settings.cloud_port, patience)
        running.append(Program("cloud", partial(programs.cloud_main, settings, cloud_socket)))
        passwords = _furnished(settings)
    known = secrets.keep(settings.state_dir / "passwords.json", passwords)
    if configured.encryption_key is not None:
        # What was encrypted before there was this key can still be read.
        known = replace(known, keys=(configured.encryption_key, *known.keys))
    _prepare_database(settings, known)
    if settings.is_embedded:
        secrets.write_private(settings.clouds_file, clouds_yaml(settings, known))
    bell = Bell()
    _share_imports()
    engine_main = partial(programs.engine_main, settings, known, bell)
    running.extend([Program("engine", engine_main)] * configured.engine.workers)
    for number in range(api.workers):
        ready = "" if number else f"Calor is ready at {settings.api_url}"
        main = partial(programs.api_main, settings, known, bell, api_socket, cfn_socket, ready)
        running.append(Program("api", main))
    Supervisor(running).run()
    hold.truncate(0)
    hold.close()


def _check(settings: Settings) -> None:
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


def _prepare_database(settings: Settings, known: secrets.Secrets) -> None:
    """Raises DatabaseUnusable and WrongKey."""
    from sqlalchemy.exc import SQLAlchemyError

    from calor.store import database, schema

    try:
        engine = database.connect(settings.database_url, known.cipher)
        schema.upgrade(engine)
        database.seal_of(engine)
        engine.dispose()
    except (SQLAlchemyError, database.NotConnected, schema.Unusable) as error:
        reason = str(error).partition("\n")[0]
        raise DatabaseUnusable(f"the database cannot be used: {reason}") from None


def _furnished(settings: Settings) -> Mapping[str, str]:
    """The passwords of the embedded cloud's users that were made just now."""
    from calor.localcloud.server import furnish

    return furnish(cloud_config(settings)).passwords


def _lock(path: Path) -> tuple[TextIO, float]:
    """Takes the state directory. Also the seconds for which its ports may still be in use: a server that was
    killed a moment ago leaves processes that are about to end, and those are waited for."""
    file = path.open("a+")
    file.seek(0)
    before = file.read()
    killed = before.isdigit() and not _lives(int(before))
    end = time.monotonic() + (PARTING_SECONDS if killed else 0.0)
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if time.monotonic() >= end:
                raise StateDirTaken(f"another server uses {path.parent}") from None
        time.sleep(0.01)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file, PARTING_SECONDS if killed else 0.0


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _share_imports() -> None:
    """Imports what several processes use before they part, and keeps the collector from touching it, so that
    its memory stays shared."""
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


def clouds_yaml(settings: Settings, known: secrets.Secrets) -> str:
    """A clouds.yaml with which the clients of OpenStack find the server."""
    trusted = access.ca_file(settings)
    cacert = f"    cacert: {trusted}\n" if trusted else ""
    entries = []
    for cloud, user in (("calor", "demo"), ("calor-admin", "admin")):
        entries.append(
            f"""  {cloud}:
    auth:
      auth_url: {settings.public_auth_url}/v3
      username: {user}
      password: {known.passwords[user]}
      project_name: {user}
      user_domain_name: Default
      project_domain_name: Default
    region_name: RegionOne
    identity_api_version: 3
{cacert}"""
        )
    return "clouds:\n" + "".join(entries)
