from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.manila.base import ManilaType


class SecurityService(ManilaType):
    type_name = "OS::Manila::SecurityService"
    support = supported("5.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "type": Property(str, required=True, constraints=[one_of("ldap", "kerberos", "active_directory")]),
        "dns_ip": Property(str, update_allowed=True),
        "server": Property(str, update_allowed=True),
        "domain": Property(str, update_allowed=True),
        "user": Property(str, update_allowed=True),
        "password": Property(str, update_allowed=True, secret=True),
        "description": Property(str, update_allowed=True),
    }
