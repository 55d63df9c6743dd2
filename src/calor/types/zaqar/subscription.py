from collections.abc import Iterator

from calor.language.constraints import custom, range_
from calor.language.schema import Problem, Property, supported
from calor.resources.values import Properties
from calor.types.rules import visible
from calor.types.zaqar.base import ZaqarType

SCHEMES = ("http", "https", "mailto", "trust+http", "trust+https")


class SchemeOfSubscriber:
    def problems(self, given: Properties) -> Iterator[Problem]:
        subscriber = visible(given.get("subscriber"))
        if isinstance(subscriber, str) and subscriber.partition(":")[0] not in SCHEMES:
            yield Problem(
                "StackValidationFailed",
                f"subscriber must be a URL that starts with one of {', '.join(SCHEMES)}",
            )


class Subscription(ZaqarType):
    type_name = "OS::Zaqar::Subscription"
    support = supported("8.0.0")
    properties = {
        "queue_name": Property(str, required=True, constraints=[custom("zaqar.queue")]),
        "subscriber": Property(str, required=True, update_allowed=True),
        "ttl": Property(int, default=220367260800, update_allowed=True, constraints=[range_(min=60)]),
        "options": Property(dict, update_allowed=True),
    }
    rules = [SchemeOfSubscriber()]
