"""Seeds the embedded cloud before it is served, and records where the other processes find it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from calor.localcloud.config import AnnouncedService, CloudConfig, HostService
from calor.server import access, secrets
from calor.server.settings import Address, Settings


def cloud_config(settings: Settings) -> CloudConfig:
    return CloudConfig(
        settings.cloud_host,
        settings.cloud_port,
        settings.cloud_database,
        (
            AnnouncedService(
                "orchestration",
                "heat",
                f"{settings.api_url}/v1/%(project_id)s",
                f"{settings.direct_api_url}/v1/%(project_id)s",
            ),
            AnnouncedService(
                "cloudformation", "heat-cfn", f"{settings.cfn_url}/v1", f"{settings.direct_cfn_url}/v1"
            ),
        ),
        settings.cloud_backend,
        _host_services(settings),
        settings.public_cloud_url,
        settings.cloud_url,
        fetch_allowed=settings.configured.fetch_allowed,
    )


def _host_services(settings: Settings) -> tuple[HostService, ...]:
    """How servers in the cloud reach the APIs and the identity service at their public addresses."""
    urls = (
        (settings.api_url, settings.listening_api_url),
        (settings.cfn_url, settings.listening_cfn_url),
        (settings.servers_cfn_url, settings.listening_cfn_url),
        (settings.public_auth_url, f"{settings.cloud_url}/identity"),
    )
    services = [_host_service(urlsplit(public), urlsplit(listening)) for public, listening in urls]
    return tuple({(service.host, service.port): service for service in services}.values())


def _host_service(public: SplitResult, listening: SplitResult) -> HostService:
    """Without a target if a proxy terminates TLS or maps paths: requests then have to pass through it."""
    needs_proxy = (public.scheme, public.path) != (listening.scheme, listening.path)
    return HostService(*_host_and_port(public), None if needs_proxy else _host_and_port(listening))


def _host_and_port(url: SplitResult) -> tuple[str, int]:
    return url.hostname or "", url.port or {"http": 80, "https": 443}[url.scheme]


def seed(settings: Settings) -> None:
    """Creates the cloud's database, passwords and clouds.yaml. Not while the cloud is served."""
    from calor.localcloud.server import initialize

    new = initialize(cloud_config(settings)).passwords
    passwords = secrets.keep_passwords(settings.state_dir, new)
    secrets.write_private(settings.clouds_file, _clouds_yaml(settings, passwords))


def save_cloud_address(settings: Settings) -> None:
    """Records the cloud's address for other processes."""
    address = {"host": settings.cloud_host, "port": settings.cloud_port}
    secrets.write_private(_address_file(settings.state_dir), json.dumps(address))


def saved_cloud_address(state_dir: Path) -> Address | None:
    """The last address of the state directory's cloud, if it was started by `calor cloud`."""
    file = _address_file(state_dir)
    return Address(**json.loads(file.read_text())) if file.exists() else None


def _address_file(state_dir: Path) -> Path:
    return state_dir / "cloud.json"


def _clouds_yaml(settings: Settings, passwords: Mapping[str, str]) -> str:
    """A clouds.yaml for OpenStack clients."""
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
