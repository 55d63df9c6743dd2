"""Estimates: a URL that contains them, and a page that shows them."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from calor.api.cfn.estimate_pages import EstimatePages
from calor.service.estimates import MOST_LINES, Estimate, EstimateLine
from calor.store.cipher import Cipher
from tests.api.cfn.client import Client, refused
from tests.support.api import token

TEMPLATE = json.dumps(
    {
        "heat_template_version": "2021-04-16",
        "parameters": {"count": {"type": "number"}},
        "resources": {
            "g": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {
                    "count": {"get_param": "count"},
                    "resource_def": {"type": "OS::Heat::TestResource"},
                },
            }
        },
    }
)
COUNT = {"Parameters__member__1__ParameterKey": "count", "Parameters__member__1__ParameterValue": "7"}


def fetched(cfn: Client, url: str) -> httpx.Response:
    parts = urlsplit(url)
    return cfn.http.get(f"{parts.path}?{parts.query}")


def test_the_page_shows_what_was_counted(cfn: Client) -> None:
    url = cfn.result("EstimateTemplateCost", TemplateBody=TEMPLATE, **COUNT)["Url"]
    assert url.startswith("http://cfn.test:8000/v1/estimate?of=")
    page = fetched(cfn, url)
    assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert re.findall("<t[dh]>(.*?)</t[dh]>", page.text)[3:] == [
        "OS::Heat::TestResource",
        "7",
        "0.00",
        "Total",
        "",
        "0.00",
    ]
    assert "has not set any prices" in page.text


def test_readers_may_estimate(cfn: Client) -> None:
    reader = cfn.by(token(roles="reader"))
    assert reader.result("EstimateTemplateCost", TemplateBody=TEMPLATE, **COUNT)["Url"]


def test_parameters_are_needed(cfn: Client) -> None:
    refused(cfn("EstimateTemplateCost", TemplateBody=TEMPLATE), 400, "InvalidParameterValue")


PAGES = EstimatePages()


def token_of(pages: EstimatePages, kind: str = "k", lines: int = 1) -> str:
    line = EstimateLine(kind, "n", 1, "", 1)
    return pages.url("", Estimate("", (line,) * lines, True)).partition("=")[2]


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "x",
        "\u2603",
        "x" * 10_000,
        token_of(EstimatePages()),
        PAGES.cipher.encrypt({"another": "thing"}).decode(),
    ],
    ids=["empty", "short", "not ascii", "long", "of another server", "another secret"],
)
def test_nobody_else_writes_pages(wrong: str) -> None:
    assert PAGES.response(wrong).status_code == 404


def test_pages_outlive_their_key_while_the_server_knows_it() -> None:
    old, new = Cipher.new_key(), Cipher.new_key()
    token = token_of(EstimatePages(Cipher(old)))
    assert EstimatePages(Cipher(new, old)).response(token).status_code == 200
    assert EstimatePages(Cipher(new)).response(token).status_code == 404


def test_names_cannot_write_html() -> None:
    page = PAGES.response(token_of(PAGES, "<script>alert(1)</script>"))
    assert b"&lt;script&gt;" in page.body
    assert b"<script>" not in page.body
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


def test_a_url_is_never_long() -> None:
    names = [f"{number:040d}" + "x" * 40 for number in range(MOST_LINES)]
    lines = tuple(EstimateLine("y" * 40, name, 1.123456789, "GB", 1.123456789) for name in names)
    assert len(PAGES.url("http://cfn.test", Estimate("EUR", lines, True))) < 8_000
