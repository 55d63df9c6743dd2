"""Shapes that several types share."""

from calor.language.constraints import length, one_of, range_
from calor.language.schema import Property, supported

BATCH = {
    "max_batch_size": Property(
        int, "How many members may be worked on at the same time.", default=1, constraints=[range_(min=1)]
    ),
    "pause_time": Property(
        float,
        "Seconds to rest between one batch and the next. All pauses together must be shorter than the "
        "stack's timeout.",
        default=0,
        constraints=[range_(min=0)],
    ),
}

ROLLING_BATCH = {
    "min_in_service": Property(
        int,
        "How many members must stay untouched while a batch is being updated. To keep them, the group may "
        "grow past its size for a while.",
        default=0,
        constraints=[range_(min=0)],
    ),
    **BATCH,
}

DEPLOYMENT_SWIFT_DATA = Property(
    dict,
    "Where in Swift the metadata for the server's agent is kept. Only used with the transport "
    "POLL_TEMP_URL; whatever is left out is named automatically.",
    default={},
    update_allowed=True,
    support=supported("9.0.0"),
    fields={
        "container": Property(
            str,
            "The container to use. It is created when missing. By default, each server has its own.",
            constraints=[length(min=1)],
        ),
        "object": Property(
            str, "The object to write. Left out, a random name is drawn.", constraints=[length(min=1)]
        ),
    },
)

SOFTWARE_CONFIG_TRANSPORTS = one_of("POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE")
