"""The embedded server: everything in one place, with no set-up."""

from __future__ import annotations

import fcntl
import gc
import logging
import os
from functools import partial
from pathlib import Path
from typing import TextIO

from calor.localcloud.config import Announced, CloudConfig
from calor.server import programs, secrets
from calor.server.bell import Bell
from calor.server.settings import Settings
from calor.server.sockets import listen
from calor.server.supervisor import Program, Supervisor

log = logging.getLogger("calor")


class StateDirTaken(Exception):
    """Another server uses the state directory."""


def cloud_config(settings: Settings) -> CloudConfig:
    return CloudConfig(
        settings.host,
        settings.cloud_port,
        settings.cloud_database,
        (
            Announced("orchestration", "heat", f"{settings.url(settings.port)}/v1/%(project_id)s"),
            Announced("cloudformation", "heat-cfn", f"{settings.url(settings.cfn_port)}/v1"),
        ),
    )


def serve(settings: Settings) -> None:
    """Runs a server in the foreground until it is told to stop. Raises PortTaken, StateDirTaken, WrongKey and
    schema.Unusable."""
    from calor.localcloud.server import furnish
    from calor.store import database, schema

    settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    hold = _lock(settings.state_dir / "lock")
    api_socket = listen(settings.host, settings.port)
    cfn_socket = listen(settings.host, settings.cfn_port)
    cloud_socket = listen(settings.host, settings.cloud_port)
    known = secrets.keep(settings.state_dir / "passwords.json", furnish(cloud_config(settings)).passwords)
    engine = database.connect(settings.database_url, known.cipher)
    schema.upgrade(engine)
    database.seal_of(engine)
    engine.dispose()
    secrets.write_private(settings.clouds_file, clouds_yaml(settings, known))
    bell = Bell()
    _share_imports()
    Supervisor(
        [
            Program("cloud", partial(programs.cloud_main, settings, cloud_socket)),
            Program("engine", partial(programs.engine_main, settings, known, bell)),
            Program("api", partial(programs.api_main, settings, known, bell, api_socket, cfn_socket)),
        ]
    ).run()
    hold.close()


def _lock(path: Path) -> TextIO:
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise StateDirTaken(f"another server uses {path.parent}") from None
    file.write(str(os.getpid()))
    file.flush()
    return file


def _share_imports() -> None:
    """Imports what several processes use before they part, and keeps the collector from touching it, so that
    its memory stays shared."""
    import sqlalchemy  # noqa: F401
    import starlette.applications  # noqa: F401
    import uvicorn  # noqa: F401

    import calor.language.request
    import calor.service.commands
    import calor.types.world  # noqa: F401

    gc.collect()
    gc.freeze()


def clouds_yaml(settings: Settings, known: secrets.Secrets) -> str:
    """A clouds.yaml with which the clients of OpenStack find the server."""
    entries = []
    for cloud, user in (("calor", "demo"), ("calor-admin", "admin")):
        entries.append(
            f"""  {cloud}:
    auth:
      auth_url: {settings.auth_url}/v3
      username: {user}
      password: {known.passwords[user]}
      project_name: {user}
      user_domain_name: Default
      project_domain_name: Default
    region_name: RegionOne
    identity_api_version: 3
"""
        )
    return "clouds:\n" + "".join(entries)
