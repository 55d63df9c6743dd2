"""Masking secrets in log lines."""

from __future__ import annotations

import pytest

from calor.observe.masking import masked

SECRET = "hunter2hunter2"


@pytest.mark.parametrize(
    "text",
    [
        f"password={SECRET}",
        f"admin_password = {SECRET}",
        f'{{"password": "{SECRET}", "user": "demo"}}',
        f"{{'adminPass': '{SECRET}'}}",
        f"X-Auth-Token: {SECRET}",
        f"X-Subject-Token:{SECRET}",
        f"token: Bearer {SECRET}",
        f"client_secret={SECRET}&user=demo",
        f"http://host/v1/signal?Signature={SECRET}&SignatureMethod=HmacSHA256",
        f"mysql://calor:{SECRET}@db/calor",
        f"auth_encryption_secret => '{SECRET}'",
        f'"private_key": "-----BEGIN {SECRET}\\n-----END"',
        f'password="a \\" {SECRET}"',
        f"PASSPHRASE={SECRET}",
        f"Api_Key={SECRET}",
        f"ſecret={SECRET}",
    ],
)
def test_secrets_are_masked(text: str) -> None:
    assert SECRET not in masked(text)


def test_a_token_is_known_by_its_looks() -> None:
    assert masked("401 for gAAAAABlJx0T9mZxYwVqk3fT9aD5e8b7c6") == "401 for ***"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE of stack token-store is COMPLETE after 0.10 s",
        "Calor is ready at http://127.0.0.1:8004",
        "GET /v1/5f1d6c2a/stacks/secret/0af94ad5",
        "the trust of stack web stayed: The token has ended.",
    ],
)
def test_the_rest_stays_as_it_is(text: str) -> None:
    assert masked(text) == text


def test_what_stands_beside_a_secret_stays() -> None:
    assert masked('{"password": "x", "user": "demo"}') == '{"password": ***, "user": "demo"}'
