"""Certificates of the APIs."""

from __future__ import annotations

import ssl
from pathlib import Path


class CertificateUnusable(Exception):
    """A certificate and its key cannot be used together, or at all."""


def check(cert_file: str, key_file: str) -> None:
    """Raises CertificateUnusable."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert_file, key_file)
    except (ssl.SSLError, OSError) as error:
        raise CertificateUnusable(f"{cert_file} and {key_file} cannot be used: {error}") from None


def is_self_signed(cert_file: str) -> bool:
    """Whether a certificate is self-signed: clients then need it to verify the server."""
    from cryptography import x509

    certificate = x509.load_pem_x509_certificate(Path(cert_file).read_bytes())
    return certificate.issuer == certificate.subject
