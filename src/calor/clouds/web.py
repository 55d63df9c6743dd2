"""Templates at web addresses, as servers fetch them for their users."""

from __future__ import annotations

TIMEOUT = 20.0
LARGEST = 524_288


def fetch_text(url: str, largest: int = LARGEST, timeout: float = TIMEOUT) -> str:
    """The text at an http or https address. Raises OSError, also for what is larger than a template may be."""
    # Slow to import, and most templates come with the request.
    import requests

    try:
        with requests.get(url, timeout=timeout, stream=True) as answer:
            answer.raise_for_status()
            content = b""
            for part in answer.iter_content(65_536):
                content += part
                if len(content) > largest:
                    raise OSError(f"it is larger than {largest} bytes")
    except (requests.RequestException, ValueError) as error:
        raise OSError(str(error)) from None
    return content.decode("utf-8", "replace")
