"""Options about the database: encryption, and how long data is kept."""

from __future__ import annotations

from oslo_config import cfg

OPTIONS: dict[str, tuple[cfg.Opt, ...]] = {
    "DEFAULT": (
        cfg.IntOpt(
            "max_events_per_stack",
            default=0,
            min=0,
            help="How many events of a stack are kept, besides the limit by age. 0 keeps all. Heat's default is 1000.",
        ),
        cfg.IntOpt(
            "event_purge_batch_size",
            default=1000,
            min=1,
            help="How many rows are purged in one transaction. Heat's default is 200.",
        ),
        cfg.StrOpt(
            "auth_encryption_key",
            secret=True,
            help="The key that encrypts secrets in the database: 32 characters. Several keys, separated by commas, "
            "allow the key to be changed while servers run: the first encrypts, all of them decrypt. Without it, "
            "a key is created at the first start and stored in the state directory.",
        ),
        cfg.BoolOpt(
            "encrypt_parameters_and_properties",
            default=False,
            help="Whether all stacks are encrypted in the database, not only those with hidden parameters.",
        ),
    ),
    "database": (
        cfg.StrOpt(
            "connection",
            secret=True,
            deprecated_opts=[cfg.DeprecatedOpt("sql_connection", group="DEFAULT")],
            help="The URL of the database. Defaults to an SQLite file in the state directory.",
        ),
    ),
    "calor": (
        cfg.FloatOpt(
            "event_days",
            default=30.0,
            min=0.0,
            help="For how many days events are kept. 0 keeps them forever. Calor only.",
        ),
        cfg.FloatOpt(
            "deleted_stack_days",
            default=30.0,
            min=0.0,
            help="For how many days deleted stacks can still be shown. 0 keeps them forever. Calor only.",
        ),
    ),
}
