from calor.language.constraints import custom, one_of
from calor.language.schema import Property, Resolve, supported
from calor.types.keystone.base import KeystoneType


class Endpoint(KeystoneType):
    """Tells clients at which URL a service is found.

    A service usually has one endpoint per region and interface. Only administrators may create one.
    """

    type_name = "OS::Keystone::Endpoint"
    support = supported("5.0.0")
    entity = "endpoints"
    properties = {
        "name": Property(
            str, "A label for people, that clients do not use. Left out, it is made up.", update_allowed=True
        ),
        "region": Property(
            str,
            "The region that the endpoint belongs to. Left out, it belongs to none.",
            update_allowed=True,
            constraints=[custom("keystone.region")],
        ),
        "service": Property(
            str,
            "The service, by name or id, that answers there.",
            required=True,
            update_allowed=True,
            constraints=[custom("keystone.service")],
        ),
        "interface": Property(
            str,
            "For whom the URL is: public for all, internal for the cloud's own services, admin for "
            "administration.",
            required=True,
            update_allowed=True,
            constraints=[one_of("public", "internal", "admin")],
        ),
        "url": Property(
            str,
            "Where the service answers. $(project_id)s and the like in it are filled in for each client.",
            required=True,
            update_allowed=True,
        ),
        "enabled": Property(
            bool,
            "False leaves it out of the catalog that clients get.",
            default=True,
            update_allowed=True,
            support=supported("6.0.0"),
        ),
    }
    translations = [
        Resolve(("service",), "get_service_id"),
        Resolve(("region",), "get_region_id"),
    ]
    collection = ("endpoints",)
    wrapper = "endpoint"
    members = {
        "name": "name",
        "region": "region_id",
        "service": "service_id",
        "interface": "interface",
        "url": "url",
        "enabled": "enabled",
    }
    mark = "description"
    listed_by = ("service_id", "interface")
