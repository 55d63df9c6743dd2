"""What keeps a server from starting. Each of these is told in one line."""

from __future__ import annotations

from calor.api.auth import BackendMissing
from calor.config.keys import UnusableKey
from calor.config.loading import ConfigError
from calor.localcloud.backends import BackendUnavailable
from calor.observe.logs import LogUnusable
from calor.observe.tracing import TracingMissing
from calor.server.holding import StateDirTaken
from calor.server.preparing import DatabaseUnusable, IdentityAway
from calor.server.processes import NoCloudHere
from calor.server.sockets import NoSuchPort, PortTaken
from calor.server.tls import CertificateUnusable
from calor.service.policy import PolicyUnusable
from calor.store.cipher import WrongKey

REFUSALS = (
    BackendMissing,
    BackendUnavailable,
    CertificateUnusable,
    ConfigError,
    DatabaseUnusable,
    IdentityAway,
    LogUnusable,
    NoCloudHere,
    NoSuchPort,
    PolicyUnusable,
    PortTaken,
    StateDirTaken,
    TracingMissing,
    UnusableKey,
    WrongKey,
)
