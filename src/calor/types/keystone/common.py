"""What users and groups have in common: roles in projects and domains."""

from calor.language.constraints import custom
from calor.language.schema import AtMostOne, Property, Rule
from calor.types.rules import Each, OneGiven

ROLES = Property(
    list,
    "Which roles it has, and where. Roles that were granted elsewhere are left alone.",
    update_allowed=True,
    items=Property(
        dict,
        fields={
            "role": Property(
                str,
                "The role, by name or id, to grant.",
                required=True,
                constraints=[custom("keystone.role")],
            ),
            "project": Property(
                str,
                "The project, by name or id, in which the role holds. Excludes domain.",
                constraints=[custom("keystone.project")],
            ),
            "domain": Property(
                str,
                "The domain, by name or id, for which the role holds. Excludes project.",
                constraints=[custom("keystone.domain")],
            ),
        },
    ),
)

ROLE_RULES: tuple[Rule, ...] = (
    Each("roles", [AtMostOne(("project", "domain")), OneGiven(("project", "domain"))]),
)
