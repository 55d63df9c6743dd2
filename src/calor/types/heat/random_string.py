from calor.language.constraints import one_of, range_
from calor.language.schema import SHOW, Attribute, Property, ResourceType, deprecated, hidden, supported

SEQUENCES = one_of("lettersdigits", "letters", "lowercase", "uppercase", "digits", "hexdigits", "octdigits")


class RandomString(ResourceType):
    type_name = "OS::Heat::RandomString"
    support = supported("2014.1")
    properties = {
        "length": Property(int, default=32, constraints=[range_(1, 512)]),
        "sequence": Property(str, constraints=[SEQUENCES], support=hidden("5.0.0", deprecated("2014.2"))),
        "character_classes": Property(
            list,
            default=[{"class": "lettersdigits", "min": 1}],
            items=Property(
                dict,
                fields={
                    "class": Property(str, default="lettersdigits", constraints=[SEQUENCES]),
                    "min": Property(int, default=1, constraints=[range_(1, 512)]),
                },
            ),
        ),
        "character_sequences": Property(
            list,
            items=Property(
                dict,
                fields={
                    "sequence": Property(str, required=True),
                    "min": Property(int, default=1, constraints=[range_(1, 512)]),
                },
            ),
        ),
        "salt": Property(str),
    }
    attributes = {
        "value": Attribute(str, live=True),
        "show": SHOW,
    }
