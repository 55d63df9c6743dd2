from collections.abc import Iterator, Mapping
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Problem, Property, supported
from calor.types.cinder.base import CinderType
from calor.types.rules import filled


class ProjectsOfPrivateType:
    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if filled(given.get("projects")) and filled(given.get("is_public")):
            yield Problem("StackValidationFailed", "projects needs is_public to be false")


class VolumeType(CinderType):
    """A kind of storage that volumes can be made of.

    Its metadata says which backend serves it and with which features. Only administrators may create one.
    """

    type_name = "OS::Cinder::VolumeType"
    support = supported("2015.1")
    extension = "os-types-manage"
    entity = "volume_types"
    properties = {
        "name": Property(str, "What volumes call it in volume_type.", required=True, update_allowed=True),
        "metadata": Property(
            dict,
            "The extra specs that match it with backends and set their features, such as "
            "volume_backend_name or multiattach.",
            update_allowed=True,
        ),
        "is_public": Property(
            bool,
            "True lets all projects use it, false only those listed in projects.",
            default=True,
            update_allowed=True,
            support=supported("5.0.0"),
        ),
        "description": Property(
            str,
            "A note for those who choose among the types.",
            update_allowed=True,
            support=supported("5.0.0"),
        ),
        "projects": Property(
            list,
            "The projects, by name or id, that may use a type that is not public.",
            default=[],
            update_allowed=True,
            support=supported("5.0.0"),
            items=Property(str, constraints=[custom("keystone.project")]),
        ),
    }
    rules = [ProjectsOfPrivateType()]
