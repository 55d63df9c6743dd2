"""Shapes that several types share."""

from calor.language.constraints import length, one_of, range_
from calor.language.schema import Property, supported

BATCH = {
    "max_batch_size": Property(int, default=1, constraints=[range_(min=1)]),
    "pause_time": Property(float, default=0, constraints=[range_(min=0)]),
}

ROLLING_BATCH = {
    "min_in_service": Property(int, default=0, constraints=[range_(min=0)]),
    **BATCH,
}

DEPLOYMENT_SWIFT_DATA = Property(
    dict,
    default={},
    update_allowed=True,
    support=supported("9.0.0"),
    fields={
        "container": Property(str, constraints=[length(min=1)]),
        "object": Property(str, constraints=[length(min=1)]),
    },
)

SOFTWARE_CONFIG_TRANSPORTS = one_of("POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE")
