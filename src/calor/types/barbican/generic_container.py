from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import Problem, Property, supported
from calor.resources.values import Properties
from calor.types.barbican.base import ContainerType
from calor.types.rules import entries, visible


class DistinctSecrets:
    def problems(self, given: Properties) -> Iterator[Problem]:
        seen = set()
        for index, secret in entries(given.get("secrets")):
            reference = visible(secret.get("ref"))
            if reference is not None and reference in seen:
                yield Problem(
                    "StackValidationFailed", "the same secret is given twice", ("secrets", index, "ref")
                )
            seen.add(reference)


class GenericContainer(ContainerType):
    type_name = "OS::Barbican::GenericContainer"
    support = supported("6.0.0")
    properties = {
        "name": Property(str),
        "secrets": Property(
            list,
            items=Property(
                dict,
                fields={
                    "name": Property(str, required=True),
                    "ref": Property(str, required=True, constraints=[custom("barbican.secret")]),
                },
            ),
        ),
    }
    rules = [DistinctSecrets()]
