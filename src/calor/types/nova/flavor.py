from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.nova.base import NovaType


class Flavor(NovaType):
    """A size of server: how much memory, how many processors and which disks.

    Most clouds let administrators alone create flavors. Apart from extra_specs and tenants a flavor cannot be
    changed: any other change makes a new one.
    """

    type_name = "OS::Nova::Flavor"
    support = supported("2014.2")
    entity = "flavors"
    properties = {
        "tenants": Property(
            list,
            "The projects, by name or id, that may use a flavor that is not public.",
            default=[],
            update_allowed=True,
            support=supported("8.0.0"),
            items=Property(str, constraints=[custom("keystone.project")]),
        ),
        "flavorid": Property(
            str,
            "The id that the flavor is to have. It must be free. Left out, it is drawn at random.",
            support=supported("7.0.0"),
        ),
        "name": Property(
            str,
            "What servers may call it instead of its id. Left out, it is made up.",
            support=supported("7.0.0"),
        ),
        "ram": Property(int, "Memory in MiB.", required=True),
        "vcpus": Property(int, "Number of virtual processors.", required=True),
        "disk": Property(
            int,
            "Size of the root disk in GiB. With 0 it is as large as the image, so that nothing limits it; "
            "that suits servers that start from a volume.",
            default=0,
        ),
        "swap": Property(int, "Size of the swap disk in MiB; 0 means none.", default=0),
        "ephemeral": Property(
            int,
            "Size in GiB of a further empty disk that lives as long as the server; 0 means none.",
            default=0,
        ),
        "rxtx_factor": Property(
            float,
            "Multiplies the bandwidth that the network grants, where the hypervisor knows how to.",
            default=1.0,
        ),
        "extra_specs": Property(
            dict,
            "What else the scheduler and the hypervisor shall heed, such as hw:cpu_policy or quotas.",
            update_allowed=True,
        ),
        "is_public": Property(
            bool,
            "False hides it from all projects but those in tenants.",
            default=True,
            support=supported("6.0.0"),
        ),
    }
    attributes = {
        "is_public": Attribute(bool, "Whether all projects can use it.", support=supported("6.0.0")),
        "extra_specs": Attribute(
            dict, "The extra specs that the compute service has for it.", support=supported("7.0.0")
        ),
        "show": SHOW,
    }
    translations = [Resolve(("tenants",), "get_project_id")]
