"""Sends all plans to the backend after a restart, and activates ports."""

from __future__ import annotations

from calor.localcloud.network.port_changes import activate_later
from calor.localcloud.network.records import COMPUTE
from calor.localcloud.network.service import NetworkService


def resume_networks(service: NetworkService) -> None:
    service.backend_sync.sync_all()
    for port in service.records.ports.find(status="DOWN"):
        if port.device_owner.startswith(COMPUTE):
            activate_later(service, port)
