from calor.language.constraints import custom
from calor.language.schema import Property

ROLES = Property(
    list,
    update_allowed=True,
    items=Property(
        dict,
        fields={
            "role": Property(str, required=True, constraints=[custom("keystone.role")]),
            "project": Property(str, constraints=[custom("keystone.project")]),
            "domain": Property(str, constraints=[custom("keystone.domain")]),
        },
    ),
)
