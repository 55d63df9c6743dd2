from calor.language.constraints import one_of, pattern, range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.blazar.base import BlazarType

DATE = pattern(r"\d{4}-\d{2}-\d{2}\s\d{2}:\d{2}")


class Lease(BlazarType):
    type_name = "OS::Blazar::Lease"
    support = supported("12.0.0")
    properties = {
        "name": Property(str, required=True),
        "start_date": Property(str, required=True, constraints=[DATE]),
        "end_date": Property(str, required=True, constraints=[DATE]),
        "before_end_date": Property(str, constraints=[DATE]),
        "reservations": Property(
            list,
            required=True,
            items=Property(
                dict,
                fields={
                    "resource_type": Property(
                        str, required=True, constraints=[one_of("virtual:instance", "physical:host")]
                    ),
                    "min": Property(int, constraints=[range_(min=1)]),
                    "max": Property(int, constraints=[range_(min=1)]),
                    "hypervisor_properties": Property(str),
                    "resource_properties": Property(str),
                    "before_end": Property(
                        str, default="default", constraints=[one_of("default", "snapshot")]
                    ),
                    "amount": Property(int, constraints=[range_(0, 2147483647)]),
                    "vcpus": Property(int, constraints=[range_(0, 2147483647)]),
                    "memory_mb": Property(int, constraints=[range_(0, 2147483647)]),
                    "disk_gb": Property(int, constraints=[range_(0, 2147483647)]),
                    "affinity": Property(bool, default=False),
                },
            ),
        ),
        "events": Property(
            list,
            default=[],
            items=Property(
                dict,
                fields={
                    "event_type": Property(str, required=True),
                    "time": Property(str, required=True),
                },
            ),
        ),
    }
    attributes = {
        "name": Attribute(str),
        "start_date": Attribute(str),
        "end_date": Attribute(str),
        "created_at": Attribute(str),
        "updated_at": Attribute(str),
        "status": Attribute(str),
        "degraded": Attribute(bool),
        "user_id": Attribute(str),
        "project_id": Attribute(str),
        "trust_id": Attribute(str),
        "reservations": Attribute(list),
        "events": Attribute(list),
        "show": SHOW,
    }
