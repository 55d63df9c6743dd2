"""Unpacks archives into a folder, with limits: an archive can be far smaller than what is in it."""

import bz2
import grp
import gzip
import io
import lzma
import os
import pwd
import shutil
import stat
import tarfile
import zipfile
import zlib
from typing import Any, BinaryIO, Callable, Iterator, List, Optional, Tuple

from calor_guest.cfn.confined_folder import Attributes, ConfinedFolder, Owner, check_link, steps_of
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.source_types import BZIP2, FILE, GZIP, TAR, SourceType

_MAX_BYTES = 16 << 30
_MAX_ENTRIES = 200000
_MAX_AT_ONCE = 16 << 20
"""Nothing but the headers of an archive is read as a whole."""
_CHUNK = 1 << 20
_INVALID = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError)
"""Decompressors raise an OSError besides."""
_UNSUPPORTED = (NotImplementedError, RuntimeError)
"""Encrypted entries, and compressions of ZIP that Python does not know."""


def unpack(packed: BinaryIO, type: SourceType, target: str, max_bytes: int = _MAX_BYTES) -> None:
    """Raises Problem. Names and links of archives are checked before anything is written."""
    try:
        folder = ConfinedFolder(target)
    except OSError as error:
        raise Problem(str(error)) from None
    try:
        if type.kind == FILE:
            content = _Limited(_decompressed(packed, type.compression), max_bytes)
            folder.add_file([type.name], content.copy_to)
        elif type.kind == TAR:
            _unpack_tar(packed, type.compression, folder, max_bytes)
        else:
            _unpack_zip(packed, folder, max_bytes)
    except _INVALID as error:
        raise Problem(f"the archive is not valid: {error}") from None
    except (*_UNSUPPORTED, OSError) as error:
        raise Problem(f"the archive cannot be unpacked: {error}") from None
    finally:
        folder.close()


class _Limited(io.RawIOBase):
    """Limits how much is read of a file in total, and at once."""

    def __init__(self, content: Any, left: int) -> None:
        io.RawIOBase.__init__(self)
        self._content = content
        self._left = left

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > _MAX_AT_ONCE:
            raise ValueError("it has a header that is too large")
        data: bytes = self._content.read(size)
        self._count(len(data))
        return data

    def tell(self) -> int:
        place: int = self._content.tell()
        return place

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """What is skipped is decompressed, too."""
        before = self.tell()
        after: int = self._content.seek(place, whence)
        self._count(abs(after - before))
        return after

    def copy_to(self, file: BinaryIO) -> None:
        while True:
            data = self.read(_CHUNK)
            if not data:
                return
            file.write(data)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise ValueError("its content is too large")


def _decompressed(packed: BinaryIO, compression: Optional[str]) -> Any:
    packed.seek(0)
    if compression == GZIP:
        return gzip.GzipFile(fileobj=packed)
    if compression == BZIP2:
        return bz2.BZ2File(packed)
    return packed


def _counted(entries: Any) -> Iterator[Any]:
    for number, entry in enumerate(entries):
        if number >= _MAX_ENTRIES:
            raise ValueError(f"it has more than {_MAX_ENTRIES} entries")
        yield entry


def _unpack_tar(packed: BinaryIO, compression: Optional[str], folder: ConfinedFolder, max_bytes: int) -> None:
    with _opened_tar(packed, compression, max_bytes) as content:
        _check_tar(content, max_bytes)
    folders: List[Tuple[List[str], Attributes]] = []
    with _opened_tar(packed, compression, max_bytes) as content:
        for entry in content:
            steps = steps_of(entry.name)
            if entry.isdir():
                folder.add_folder(steps)
                folders.append((steps, _attributes(entry)))
            elif entry.islnk():
                folder.add_hard_link(steps, steps_of(entry.linkname))
            elif entry.issym():
                folder.add_link(steps, entry.linkname, _attributes(entry).owner)
            else:
                folder.add_file(steps, _copier(content.extractfile(entry)), _attributes(entry))
    for steps, attributes in reversed(folders):
        # Only now: a folder may be one that nothing can be written into. The target keeps its own.
        if steps:
            folder.add_folder(steps, attributes)


def _check_tar(content: tarfile.TarFile, max_bytes: int) -> None:
    size = 0
    for entry in _counted(content):
        _check_tar_entry(entry)
        # Holes in sparse files are not in the archive.
        size += max(0, entry.size)
        if size > max_bytes:
            raise ValueError("its content is too large")


def _opened_tar(packed: BinaryIO, compression: Optional[str], max_bytes: int) -> tarfile.TarFile:
    content: Any = _Limited(_decompressed(packed, compression), max_bytes)
    return tarfile.open(fileobj=content, mode="r:")


def _check_tar_entry(entry: tarfile.TarInfo) -> None:
    steps = steps_of(entry.name)
    if entry.issym():
        check_link(steps, entry.linkname)
    elif entry.islnk():
        if not steps_of(entry.linkname):
            raise Problem(f"the link {entry.name!r} does not lead to a file")
    elif not entry.isdir() and not entry.isfile():
        raise Problem(f"{entry.name!r} is neither a file nor a folder nor a link")


def _attributes(entry: tarfile.TarInfo) -> Attributes:
    """As with tar, only root gives files to others and keeps bits such as set-user-id."""
    if os.geteuid() == 0:
        return Attributes(entry.mode & 0o7777, _owner(entry), entry.mtime)
    return Attributes(entry.mode & 0o777, None, entry.mtime)


def _owner(entry: tarfile.TarInfo) -> Owner:
    """By name where the server has it."""
    try:
        uid = pwd.getpwnam(entry.uname).pw_uid
    except (KeyError, ValueError):
        uid = entry.uid
    try:
        gid = grp.getgrnam(entry.gname).gr_gid
    except (KeyError, ValueError):
        gid = entry.gid
    return Owner(uid, gid)


def _unpack_zip(packed: BinaryIO, folder: ConfinedFolder, max_bytes: int) -> None:
    packed.seek(0)
    with zipfile.ZipFile(packed) as content:
        entries = list(_counted(content.infolist()))
        if sum(entry.file_size for entry in entries) > max_bytes:
            raise ValueError("its content is too large")
        links = {}
        for entry in entries:
            steps = steps_of(entry.filename)
            if stat.S_ISLNK(_zip_mode(entry)):
                with content.open(entry) as opened:
                    links[entry.filename] = opened.read(4096).decode("utf-8", "surrogateescape")
                check_link(steps, links[entry.filename])
        for entry in entries:
            steps = steps_of(entry.filename)
            if entry.filename.endswith("/"):
                folder.add_folder(steps)
            elif entry.filename in links:
                folder.add_link(steps, links[entry.filename])
            else:
                attributes = Attributes(_zip_mode(entry) & 0o777 or None)
                with content.open(entry) as opened:
                    folder.add_file(steps, _copier(opened), attributes)


def _zip_mode(entry: zipfile.ZipInfo) -> int:
    """0 if the archive was made on a system without modes."""
    made_on_unix = entry.create_system == 3
    return entry.external_attr >> 16 if made_on_unix else 0


def _copier(source: Any) -> Callable[[BinaryIO], None]:
    def copy(file: BinaryIO) -> None:
        shutil.copyfileobj(source, file, _CHUNK)

    return copy
