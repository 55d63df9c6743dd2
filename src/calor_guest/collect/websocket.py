"""A client of WebSockets for short texts of JSON."""

import base64
import hashlib
import json
import os
import socket
import struct
import time
from typing import Any, Tuple
from urllib.parse import urlsplit

from calor_guest.common.http import LARGEST, RequestFailed, Tls

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_ANSWERS_WITHIN = 10.0
_LONGEST_HEAD = 65536


class WebSocket:
    """Raises RequestFailed when it is made and when it is used."""

    def __init__(self, url: str, tls: Tls) -> None:
        parts = urlsplit(url)
        secure = parts.scheme in ("wss", "https")
        host, port = parts.hostname or "", parts.port or (443 if secure else 80)
        self._url = url.partition("?")[0]
        self._until = time.monotonic() + _ANSWERS_WITHIN
        self._buffer = b""
        try:
            self._socket = socket.create_connection((host, port), _ANSWERS_WITHIN)
            if secure:
                self._socket = tls.context().wrap_socket(self._socket, server_hostname=host)
        except (OSError, ValueError) as error:
            raise RequestFailed(f"{self._url}: {error}") from error
        self._shake_hands(parts.netloc.rpartition("@")[2], parts.path or "/")

    def __enter__(self) -> "WebSocket":
        return self

    def __exit__(self, *problem: object) -> None:
        self._socket.close()

    def send(self, value: Any) -> None:
        self._send(_TEXT, json.dumps(value).encode("utf-8"))

    def receive(self, seconds: float = _ANSWERS_WITHIN) -> Any:
        """The next text. Raises RequestFailed if none comes in time, and ValueError if it is not JSON."""
        self._until = time.monotonic() + seconds
        text = b""
        while True:
            last, kind, content = self._frame()
            if kind == _PING:
                self._send(_PONG, content)
            elif kind == _CLOSE:
                raise RequestFailed(f"{self._url} closed the connection")
            elif kind != _PONG:
                text += content
                if len(text) > LARGEST:
                    raise RequestFailed(f"{self._url}: the message is larger than {LARGEST >> 20} MiB")
                if last:
                    return json.loads(text.decode("utf-8"))

    def _shake_hands(self, host: str, path: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode("ascii")
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: {host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        )
        self._write("".join(line + "\r\n" for line in (*lines, "")).encode("ascii"))
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > _LONGEST_HEAD:
                raise RequestFailed(f"{self._url} does not speak WebSocket")
            self._fill()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        digest = base64.b64encode(hashlib.sha1((key + _GUID).encode("ascii")).digest())
        status = head.split(b"\r\n")[0].split(b" ")[1:2]
        if status != [b"101"] or digest not in head:
            raise RequestFailed(f"{self._url} does not speak WebSocket")

    def _frame(self) -> Tuple[bool, int, bytes]:
        first, second = self._exactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", self._exactly(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._exactly(8))
        if length > LARGEST or second & 0x80:
            raise RequestFailed(f"{self._url} sent a frame that is not valid")
        return bool(first & 0x80), first & 0x0F, self._exactly(length)

    def _send(self, kind: int, content: bytes) -> None:
        size = len(content)
        if size < 126:
            head = struct.pack(">BB", 0x80 | kind, 0x80 | size)
        elif size < 65536:
            head = struct.pack(">BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack(">BBQ", 0x80 | kind, 0x80 | 127, size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(content))
        self._write(head + mask + masked)

    def _write(self, data: bytes) -> None:
        try:
            self._socket.settimeout(_ANSWERS_WITHIN)
            self._socket.sendall(data)
        except OSError as error:
            raise RequestFailed(f"{self._url}: {error}") from error

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._fill()
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def _fill(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise RequestFailed(f"{self._url} sent nothing in time")
        try:
            self._socket.settimeout(left)
            data = self._socket.recv(65536)
        except OSError as error:
            raise RequestFailed(f"{self._url}: {error}") from error
        if not data:
            raise RequestFailed(f"{self._url} closed the connection")
        self._buffer += data
