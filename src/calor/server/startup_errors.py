"""The errors that keep a server from starting; each is reported in one line."""

from __future__ import annotations

from calor.api.auth import BackendMissing
from calor.config.keys import UnusableKey
from calor.config.loading import ConfigError
from calor.localcloud.backend_selection import BackendUnavailable
from calor.observe.logs import LogUnusable
from calor.observe.tracing import TracingMissing
from calor.server.locks import StateDirInUse
from calor.server.preparing import DatabaseUnusable, IdentityUnavailable
from calor.server.processes import CloudNotEmbedded
from calor.server.sockets import InvalidPort, PortInUse
from calor.server.tls import CertificateUnusable
from calor.service.policy import PolicyUnusable
from calor.service.prices import PricesUnusable
from calor.store.cipher import WrongKey

STARTUP_ERRORS = (
    BackendMissing,
    BackendUnavailable,
    CertificateUnusable,
    ConfigError,
    DatabaseUnusable,
    IdentityUnavailable,
    LogUnusable,
    CloudNotEmbedded,
    InvalidPort,
    PolicyUnusable,
    PortInUse,
    PricesUnusable,
    StateDirInUse,
    TracingMissing,
    UnusableKey,
    WrongKey,
)
