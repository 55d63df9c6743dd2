"""What the services of a new cloud begin with, each once: what was removed since then stays away."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from calor.localcloud.compute.furnishing import furnish_compute
from calor.localcloud.compute.records import Records as ComputeRecords
from calor.localcloud.identity.furnishing import DEFAULT_DOMAIN
from calor.localcloud.identity.records import Records
from calor.localcloud.image.furnishing import furnish_images
from calor.localcloud.image.records import Records as ImageRecords
from calor.localcloud.network.furnishing import furnish_networks
from calor.localcloud.network.state import Networking
from calor.localcloud.volume.furnishing import furnish_types
from calor.localcloud.volume.records import Records as VolumeRecords


def furnish_services(accounts: Records, network: Networking, folder: Path, now: datetime) -> None:
    """When the machinery is there: it knows which addresses can be reached."""
    projects = accounts.projects.find_in("name", ["admin", "demo"], domain_id=DEFAULT_DOMAIN)
    owners = {project.name: project.id for project in projects}
    furnish_types(VolumeRecords(accounts.store))
    if "admin" in owners:
        furnish_images(ImageRecords(accounts.store), owners["admin"], now)
    if user := accounts.users.first(name="demo", domain_id=DEFAULT_DOMAIN):
        furnish_compute(ComputeRecords(accounts.store), folder, user.id, now)
    if len(owners) == 2:
        cidr = network.ground.machinery.external_cidr
        furnish_networks(network, cidr, owners["admin"], owners["demo"])
