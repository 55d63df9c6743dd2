from calor.language.constraints import custom, length, one_of, range_
from calor.language.schema import Property, supported
from calor.types.designate.base import DesignateType


class RecordSet(DesignateType):
    type_name = "OS::Designate::RecordSet"
    support = supported("8.0.0")
    properties = {
        "name": Property(str, constraints=[length(max=255)]),
        "ttl": Property(int, update_allowed=True, constraints=[range_(1, 2147483647)]),
        "description": Property(str, update_allowed=True, constraints=[length(max=160)]),
        "type": Property(
            str,
            required=True,
            constraints=[
                one_of(
                    "A",
                    "AAAA",
                    "CNAME",
                    "MX",
                    "SRV",
                    "TXT",
                    "SPF",
                    "NS",
                    "PTR",
                    "SSHFP",
                    "SOA",
                    "CAA",
                    "CERT",
                    "NAPTR",
                )
            ],
        ),
        "records": Property(list, required=True, update_allowed=True),
        "zone": Property(str, required=True, constraints=[custom("designate.zone")]),
    }
