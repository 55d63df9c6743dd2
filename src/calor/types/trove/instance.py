from collections.abc import Iterator

from calor.language.constraints import custom, length, pattern, range_
from calor.language.schema import SHOW, Attribute, Problem, Property, Resolve, supported
from calor.resources.values import Properties
from calor.types.rules import Each, empty, entries, filled, partly_unknown, visible
from calor.types.trove.base import TroveType
from calor.types.trove.common import NETWORK, VersionOfDatastore

CREDENTIAL = pattern(r"[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\s]*[a-zA-Z0-9_]+")


class UsersOfDatabases:
    """Users have access to databases of the instance's own."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        users, databases = given.get("users"), given.get("databases")
        if filled(users) and empty(databases):
            yield Problem("StackValidationFailed", "users needs databases")
            return
        names = [visible(database.get("name")) for _, database in entries(databases)]
        if partly_unknown(databases) or None in names:
            return
        for index, user in entries(users):
            for name in map(visible, visible(user.get("databases")) or []):
                if name is not None and name not in names:
                    yield Problem(
                        "StackValidationFailed", f"there is no database {name}", ("users", index, "databases")
                    )


class NetworkOrPort:
    def problems(self, given: Properties) -> Iterator[Problem]:
        if (given.get("network") is None) == (given.get("port") is None):
            yield Problem("StackValidationFailed", "either network or port must be given")


class Instance(TroveType):
    type_name = "OS::Trove::Instance"
    support = supported("2014.1")
    properties = {
        "name": Property(str, update_allowed=True, constraints=[length(max=255)]),
        "flavor": Property(str, required=True, update_allowed=True, constraints=[custom("trove.flavor")]),
        "datastore_type": Property(str, constraints=[length(max=255)]),
        "datastore_version": Property(str, constraints=[length(max=255)]),
        "size": Property(int, required=True, update_allowed=True, constraints=[range_(1, 150)]),
        "networks": Property(list, default=[], items=NETWORK),
        "databases": Property(
            list,
            default=[],
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "character_set": Property(str, default="utf8"),
                    "collate": Property(str, default="utf8_general_ci"),
                    "name": Property(
                        str,
                        required=True,
                        constraints=[
                            length(max=64),
                            pattern(r"[a-zA-Z0-9_\-]+[a-zA-Z0-9_@?#\s\-]*[a-zA-Z0-9_\-]+"),
                        ],
                    ),
                },
            ),
        ),
        "users": Property(
            list,
            default=[],
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "name": Property(
                        str,
                        required=True,
                        update_allowed=True,
                        constraints=[length(max=16), CREDENTIAL],
                    ),
                    "password": Property(
                        str, required=True, update_allowed=True, constraints=[CREDENTIAL], secret=True
                    ),
                    "host": Property(str, default="%", update_allowed=True),
                    "databases": Property(
                        list,
                        required=True,
                        update_allowed=True,
                        constraints=[length(min=1)],
                        items=Property(str),
                    ),
                },
            ),
        ),
        "availability_zone": Property(str),
        "restore_point": Property(str),
        "replica_of": Property(str, support=supported("5.0.0")),
        "replica_count": Property(int, support=supported("5.0.0")),
    }
    attributes = {
        "hostname": Attribute(str),
        "href": Attribute(str),
        "show": SHOW,
    }
    translations = [Resolve(("flavor",), "nova.flavor")]
    rules = [VersionOfDatastore(), UsersOfDatabases(), Each("networks", [NetworkOrPort()])]
