"""The embedded cloud: made ready to be served, and found by the processes that use it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from calor.localcloud.config import Announced, CloudConfig
from calor.server import access, secrets
from calor.server.settings import Address, Settings


def cloud_config(settings: Settings) -> CloudConfig:
    return CloudConfig(
        settings.cloud_host,
        settings.cloud_port,
        settings.cloud_database,
        (
            Announced(
                "orchestration",
                "heat",
                f"{settings.api_url}/v1/%(project_id)s",
                f"{settings.direct_api_url}/v1/%(project_id)s",
            ),
            Announced(
                "cloudformation", "heat-cfn", f"{settings.cfn_url}/v1", f"{settings.direct_cfn_url}/v1"
            ),
        ),
        settings.cloud_backend,
        _doors(settings),
        settings.public_cloud_url,
        settings.cloud_url,
        fetch_allowed=settings.configured.fetch_allowed,
    )


def _doors(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Where servers reach the APIs and the identity service: at the addresses that they are told."""
    urls = (settings.api_url, settings.cfn_url, settings.servers_cfn_url, settings.public_auth_url)
    found = [urlsplit(url) for url in urls]
    ports = {"http": 80, "https": 443}
    return tuple(dict.fromkeys((url.hostname or "", url.port or ports[url.scheme]) for url in found))


def furnish(settings: Settings) -> None:
    """Makes the cloud's database and the files by which it is found. Not while it is served."""
    from calor.localcloud.server import furnish

    made = furnish(cloud_config(settings)).passwords
    known = secrets.keep_passwords(settings.state_dir, made)
    secrets.write_private(settings.clouds_file, _clouds_yaml(settings, known))


def note_address(settings: Settings) -> None:
    """Tells other processes where the cloud is."""
    at = {"host": settings.cloud_host, "port": settings.cloud_port}
    secrets.write_private(_address_file(settings.state_dir), json.dumps(at))


def noted_address(state_dir: Path) -> Address | None:
    """Where the cloud of a state directory was started last, if it was started by itself."""
    file = _address_file(state_dir)
    return Address(**json.loads(file.read_text())) if file.exists() else None


def _address_file(state_dir: Path) -> Path:
    return state_dir / "cloud.json"


def _clouds_yaml(settings: Settings, passwords: Mapping[str, str]) -> str:
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
      password: {passwords[user]}
      project_name: {user}
      user_domain_name: Default
      project_domain_name: Default
    region_name: RegionOne
    identity_api_version: 3
{cacert}"""
        )
    return "clouds:\n" + "".join(entries)
