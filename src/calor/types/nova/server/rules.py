"""What must hold between a server's disks, and between its networks."""

from __future__ import annotations

from collections.abc import Iterator

from calor.language.schema import AtMostOne, Problem, Rule
from calor.language.values import Unknown
from calor.resources.values import Properties
from calor.types.rules import AddressOfPort, Each, OneGiven, empty, entries, filled, partly_unknown, visible

OLD_DISKS = "block_device_mapping"
DISKS = "block_device_mapping_v2"
BOOT_SOURCES = ("volume_id", "snapshot_id", "image")


class OneListOfDisks:
    def problems(self, given: Properties) -> Iterator[Problem]:
        if filled(given.get(OLD_DISKS)) and filled(given.get(DISKS)):
            yield Problem("ResourcePropertyConflict", f"{OLD_DISKS} and {DISKS} are mutually exclusive")


class OneSource:
    """The source of a disk."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        sources = [name for name in (*BOOT_SOURCES, "swap_size") if given.get(name) is not None]
        local = [name for name in ("ephemeral_size", "ephemeral_format") if given.get(name) is not None]
        if not sources and not local:
            yield Problem(
                "StackValidationFailed",
                "one of volume_id, snapshot_id, image, swap_size, ephemeral_size, ephemeral_format must be "
                "given",
            )
        # An unknown size may turn out to be 0, and that is no disk.
        sources += [name for name in local if not isinstance(given[name], Unknown)][:1]
        if len(sources) > 1:
            yield Problem("ResourcePropertyConflict", f"{' and '.join(sources)} are mutually exclusive")


class OneBootDisk:
    """A server starts from its image or from one disk."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        old, disks = given.get(OLD_DISKS), given.get(DISKS)
        names = [disk.get("device_name") for _, disk in entries(old)]
        indices = [
            disk.get("boot_index")
            for _, disk in entries(disks)
            if any(disk.get(source) is not None for source in BOOT_SOURCES)
        ]
        first = sum(index is None or visible(index) == 0 for index in indices)
        image = given.get("image") is not None
        if image + first > 1:
            yield Problem(
                "StackValidationFailed",
                f"a server boots from one source: {'in addition to image, ' if image else ''}give the disks"
                f"{'' if image else ' but one'} a boot_index other than 0",
                (DISKS,),
            )
        unseen = any(map(partly_unknown, (old, disks, names, indices)))
        if not (image or first or unseen or "vda" in map(visible, names)):
            yield Problem("StackValidationFailed", "there is neither an image nor a disk to boot from")


class Interface:
    """Each network needs a network, a port or a subnet."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        allocate = given.get("allocate_network")
        places = [name for name in ("network", "port", "subnet") if given.get(name) is not None]
        if not places and empty(allocate):
            yield Problem(
                "StackValidationFailed", "one of network, port, subnet, allocate_network must be given"
            )
        others = [name for name, value in given.items() if value is not None and name != "allocate_network"]
        if filled(allocate) and others:
            yield Problem("StackValidationFailed", f"allocate_network excludes {', '.join(others)}")
        if (
            given.get("floating_ip") is not None
            and places == ["network"]
            and given.get("port_extra_properties") is None
        ):
            # Nova makes the port then, and who made it not cannot know it.
            yield Problem(
                "StackValidationFailed",
                "floating_ip requires port, subnet or port_extra_properties in addition to network",
            )


class AllocatedNetworkAlone:
    def problems(self, given: Properties) -> Iterator[Problem]:
        networks = given.get("networks")
        allocated = any(filled(network.get("allocate_network")) for _, network in entries(networks))
        if allocated and len(visible(networks)) > 1:
            yield Problem(
                "StackValidationFailed", "allocate_network excludes further networks", ("networks",)
            )


class SecurityGroupsOfPorts:
    def problems(self, given: Properties) -> Iterator[Problem]:
        ports = [network for _, network in entries(given.get("networks")) if network.get("port") is not None]
        if ports and filled(given.get("security_groups")):
            yield Problem(
                "ResourcePropertyConflict",
                "security_groups and a port in networks are mutually exclusive: the port has its own groups",
            )


RULES: tuple[Rule, ...] = (
    OneListOfDisks(),
    Each(OLD_DISKS, [AtMostOne(("volume_id", "snapshot_id")), OneGiven(("volume_id", "snapshot_id"))]),
    Each(DISKS, [OneSource()]),
    OneBootDisk(),
    Each("networks", [Interface(), AddressOfPort()]),
    AllocatedNetworkAlone(),
    SecurityGroupsOfPorts(),
)
