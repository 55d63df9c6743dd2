"""All metrics."""

from __future__ import annotations

from calor.observe.metrics import LONG, SIZES, Counter, Family, Gauge, Histogram

REQUEST_SECONDS = Histogram(
    "calor_api_request_seconds",
    "Time from a request to the beginning of its response.",
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
    "Time from the request for an action until an engine starts it.",
)
RUNS = Gauge("calor_runs", "Stacks on which engines are working now.")
STEP_SECONDS = Histogram(
    "calor_step_seconds",
    "Time that an action on a resource took.",
    ("type", "action", "outcome"),
    LONG,
)
LEASES_TAKEN_OVER = Counter("calor_leases_taken_over_total", "Stacks taken over from dead engines.")
LEASES_LOST = Counter("calor_leases_lost_total", "Stacks that another engine has taken over.")
LOOP_LAG_SECONDS = Histogram("calor_loop_lag_seconds", "Lag of the event loop, measured every half second.")
WRITER_QUEUE = Gauge("calor_writer_queue", "Changes waiting to be written.")
WRITER_BATCH = Histogram("calor_writer_batch", "Changes written in one transaction.", bounds=SIZES)
WRITER_SECONDS = Histogram("calor_writer_seconds", "Time that a transaction of the writer took.")
CLOUD_SECONDS = Histogram(
    "calor_cloud_call_seconds",
    "Response time of cloud services.",
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
"""The metrics of each process, besides `process.FAMILIES`."""

STACKS = Gauge("calor_stacks", "Live stacks, nested ones included.", ("action", "status"))
STACKS_WAITING = Gauge("calor_stacks_waiting", "Stacks with pending work that no engine has started.")
INBOX = Gauge("calor_inbox", "Signals waiting to be handled.")
ENGINES = Gauge("calor_engines", "Live engines.")
INFO = Gauge("calor_info", "Always 1; the labels contain the version.", ("version",))
