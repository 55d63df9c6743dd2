from calor.language.constraints import custom
from calor.language.schema import Property

NETWORK = Property(
    dict,
    fields={
        "network": Property(str, constraints=[custom("neutron.network")]),
        "port": Property(str, constraints=[custom("neutron.port")]),
        "fixed_ip": Property(str, constraints=[custom("ip_addr")]),
    },
)
