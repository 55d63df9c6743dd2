"""Parses user data without blocking the cloud: it may be small and yet large when unpacked."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from calor_guest.boot.parts import TooLarge
from calor_guest.boot.user_data import UserData, parse_user_data, parse_user_data_within
from calor_guest.boot.yaml_reader import YamlReader

SMALL = 128 << 10
"""Unpacked bytes up to which user data is parsed at once. Nearly all user data is."""
_THREADS = 2


class UserDataReader:
    """Has its own threads for large user data, so that servers with small user data do not wait for it."""

    def __init__(self) -> None:
        self._large = ThreadPoolExecutor(_THREADS, "user-data")

    async def parse(self, user_data: bytes) -> UserData:
        try:
            return await asyncio.to_thread(_parse_small, user_data)
        except TooLarge:
            return await asyncio.get_running_loop().run_in_executor(self._large, _parse_large, user_data)

    def close(self) -> None:
        self._large.shutdown(wait=False, cancel_futures=True)


def _parse_small(user_data: bytes) -> UserData:
    return parse_user_data_within(SMALL, user_data, YamlReader())


def _parse_large(user_data: bytes) -> UserData:
    return parse_user_data(user_data, YamlReader())
