"""Every metric there is."""

from __future__ import annotations

from calor.observe.metrics import LONG, SIZES, Counter, Family, Gauge, Histogram

REQUEST_SECONDS = Histogram(
    "calor_api_request_seconds",
    "Time from a request to the beginning of its answer.",
    ("api", "method", "route", "status"),
)
RUN_SECONDS = Histogram(
    "calor_run_seconds",
    "Time from the request for an action on a stack to its end.",
    ("action", "outcome"),
    LONG,
)
RUN_WAIT_SECONDS = Histogram(
    "calor_run_wait_seconds",
    "Time from the request for an action to its being taken up by an engine.",
)
RUNS = Gauge("calor_runs", "Stacks that are walked at present.")
STEP_SECONDS = Histogram(
    "calor_step_seconds",
    "Time that an action on a resource took.",
    ("type", "action", "outcome"),
    LONG,
)
LEASES_TAKEN_OVER = Counter("calor_leases_taken_over_total", "Stacks taken over from engines that are gone.")
LEASES_LOST = Counter("calor_leases_lost_total", "Stacks that another engine has taken over.")
LOOP_LAG_SECONDS = Histogram(
    "calor_loop_lag_seconds", "How late the event loop was to do what was due, looked at every half second."
)
WRITER_QUEUE = Gauge("calor_writer_queue", "Changes that wait to be written.")
WRITER_BATCH = Histogram("calor_writer_batch", "Changes written in one transaction.", bounds=SIZES)
WRITER_SECONDS = Histogram("calor_writer_seconds", "Time that a transaction of the writer took.")
CLOUD_SECONDS = Histogram(
    "calor_cloud_call_seconds",
    "Time that services took to answer.",
    ("service", "method", "outcome"),
)

FAMILIES: tuple[Family, ...] = (
    REQUEST_SECONDS,
    RUN_SECONDS,
    RUN_WAIT_SECONDS,
    RUNS,
    STEP_SECONDS,
    LEASES_TAKEN_OVER,
    LEASES_LOST,
    LOOP_LAG_SECONDS,
    WRITER_QUEUE,
    WRITER_BATCH,
    WRITER_SECONDS,
    CLOUD_SECONDS,
)
"""What each process tells of itself, beside `process.FAMILIES`."""

STACKS = Gauge("calor_stacks", "Live stacks, nested ones included.", ("action", "status"))
STACKS_WAITING = Gauge("calor_stacks_waiting", "Stacks with something to do that no engine has taken up.")
INBOX = Gauge("calor_inbox", "Signals that wait to be handled.")
ENGINES = Gauge("calor_engines", "Engines that are up.")
INFO = Gauge("calor_info", "1; what runs is in the labels.", ("version",))
