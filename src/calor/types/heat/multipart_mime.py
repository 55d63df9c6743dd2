from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.heat.configs import ConfigType


class MultipartMime(ConfigType):
    type_name = "OS::Heat::MultipartMime"
    support = supported("2014.1")
    properties = {
        "group": Property(str, default="Heat::Ungrouped", support=supported("14.0.0")),
        "parts": Property(
            list,
            default=[],
            items=Property(
                dict,
                fields={
                    "config": Property(str, required=True),
                    "filename": Property(str),
                    "type": Property(str, default="text", constraints=[one_of("text", "multipart")]),
                    "subtype": Property(str),
                },
            ),
        ),
    }
