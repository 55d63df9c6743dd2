from collections.abc import Iterator, Mapping
from typing import Any

from calor.language.constraints import one_of, pattern, range_
from calor.language.schema import Problem, Property, ResourceType, supported
from calor.types.rules import filled, visible

UUID = pattern("^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$")


class AmazonFormats:
    """The container formats of Amazon hold a disk of the same format only."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        container, disk = visible(given.get("container_format")), visible(given.get("disk_format"))
        if container in ("ami", "ari", "aki") and disk is not None and disk != container:
            yield Problem(
                "StackValidationFailed", f"a container_format of {container} needs the same disk_format"
            )


class MembersOfSharedImage:
    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        visibility = visible(given.get("visibility"))
        if filled(given.get("members")) and visibility is not None and visibility != "shared":
            yield Problem("ResourcePropertyValueDependency", "members needs a visibility of shared")


class WebImage(ResourceType):
    type_name = "OS::Glance::WebImage"
    support = supported("12.0.0")
    service = "glance"
    entity = "images"
    properties = {
        "name": Property(str),
        "id": Property(str),
        "min_disk": Property(int, default=0, constraints=[range_(min=0)]),
        "min_ram": Property(int, default=0, constraints=[range_(min=0)]),
        "protected": Property(bool, default=False, update_allowed=True),
        "disk_format": Property(
            str,
            required=True,
            constraints=[
                one_of("ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso", "ploop")
            ],
        ),
        "container_format": Property(
            str, required=True, constraints=[one_of("ami", "ari", "aki", "bare", "ovf", "ova", "docker")]
        ),
        "location": Property(str, required=True),
        "tags": Property(list, update_allowed=True),
        "architecture": Property(str, update_allowed=True),
        "kernel_id": Property(str, update_allowed=True, constraints=[UUID]),
        "os_distro": Property(str, update_allowed=True),
        "os_version": Property(str, update_allowed=True),
        "owner": Property(str, update_allowed=True),
        "extra_properties": Property(dict, default={}, update_allowed=True, support=supported("17.0.0")),
        "visibility": Property(
            str,
            default="private",
            update_allowed=True,
            constraints=[one_of("public", "private", "community", "shared")],
        ),
        "ramdisk_id": Property(str, update_allowed=True, constraints=[UUID]),
        "active": Property(bool, default=True, update_allowed=True, support=supported("16.0.0")),
        "members": Property(list, update_allowed=True, support=supported("16.0.0"), items=Property(str)),
    }
    rules = [AmazonFormats(), MembersOfSharedImage()]
