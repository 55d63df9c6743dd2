"""EC2 signatures, version 2, over the query of a request."""

import base64
import hashlib
import hmac
from typing import Mapping
from urllib.parse import quote, unquote, urlsplit


def signed_url(verb: str, url: str, access_key: str, secret_key: str, params: Mapping[str, str]) -> str:
    """The URL with these parameters, the access key and the signature as its query."""
    given = dict(params, AWSAccessKeyId=access_key, SignatureVersion="2", SignatureMethod="HmacSHA256")
    query = "&".join(f"{_quoted(name)}={_quoted(given[name])}" for name in sorted(given))
    parts = urlsplit(url)
    text = "\n".join((verb, parts.netloc.lower(), unquote(parts.path) or "/", query))
    digest = hmac.new(secret_key.encode("utf-8"), text.encode("utf-8"), hashlib.sha256).digest()
    return "{}?{}&Signature={}".format(url, query, _quoted(base64.b64encode(digest).decode("ascii")))


def _quoted(text: str) -> str:
    return quote(text, safe="-_~.")
