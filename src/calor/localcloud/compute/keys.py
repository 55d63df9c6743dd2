"""Generates SSH keys and certificates, and computes their fingerprints."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from calor.localcloud.problems import BadRequest

_BITS = 2048
_YEARS_OF_A_CERTIFICATE = 10


@dataclass(frozen=True)
class GeneratedKey:
    private: str
    public: str


def generate_ssh_key() -> GeneratedKey:
    """Takes some tenths of a second of CPU time."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return GeneratedKey(_private_text(key), f"{public.decode()} generated\n")


def generate_ed25519_key(comment: str) -> GeneratedKey:
    key = ed25519.Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return GeneratedKey(private.decode(), f"{public.decode()} {comment}\n")


def generate_certificate(user_id: str, moment: datetime) -> GeneratedKey:
    """A client certificate with its key."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, user_id[:64])])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment)
        .not_valid_after(moment + timedelta(days=365 * _YEARS_OF_A_CERTIFICATE))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return GeneratedKey(_private_text(key), certificate.public_bytes(serialization.Encoding.PEM).decode())


def fingerprint_of(kind: str, public: str) -> str:
    """The fingerprint. Raises BadRequest for an invalid key."""
    if kind == "x509":
        try:
            digest = x509.load_pem_x509_certificate(public.encode()).fingerprint(hashes.SHA1())
        except ValueError:
            raise BadRequest("The certificate is invalid.") from None
        return _colons(digest)
    parts = public.split(maxsplit=2)
    try:
        blob = base64.b64decode(parts[1], validate=True)
        serialization.load_ssh_public_key(public.strip().encode())
    except (IndexError, binascii.Error, ValueError, UnsupportedAlgorithm):
        raise BadRequest("The public key is invalid.") from None
    return _colons(hashlib.md5(blob, usedforsecurity=False).digest())


def _colons(digest: bytes) -> str:
    return digest.hex(":")


def _private_text(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
