"""Images: built from the /usr of the host, or unpacked from uploaded tarballs."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

import calor_guest.boot
from calor.localcloud.backend import BackendError
from calor.localcloud.background import LONG_AT_ONCE
from calor.localcloud.linux.safe_paths import remove_tree
from calor.localcloud.slots import Slots
from calor_guest.archive import archive
from calor_guest.install import install

_BOOT = Path(calor_guest.boot.__file__).parent
_PARTIAL = ".partial"
_VERSION = 9
"""The version of built and unpacked images; those of another version are built again."""

_FOLDERS = ("dev", "etc", "home", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp", "usr")
_FURTHER = ("var/cache", "var/lib", "var/log", "var/spool", "var/tmp", "etc/sudoers.d")
_STATE = ("var/lib/puppet",)
"""Folders that programs of the host need, and do not make themselves."""
_COPIED = (
    *("alternatives", "ca-certificates.conf", "debian_version", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"),
    *(
        "locale.alias",
        "login.defs",
        "magic",
        "mime.types",
        "nsswitch.conf",
        "os-release",
        "pam.conf",
        "pam.d",
    ),
    *(
        "pki",
        "protocols",
        "python3",
        "python3.11",
        "security",
        "services",
        "shells",
        "skel",
        "ssl",
        "terminfo",
    ),
)
"""The files of the host's /etc that programs need; none with the identity of the host."""

_PROFILE = """export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
if [ -n "$BASH" ]; then PS1='\\u@\\h:\\w\\$ '; else PS1="$(hostname):\\$PWD\\$ "; fi
"""
_PYTHON = "/usr/bin/python3"
_POWER = {"poweroff": "TERM", "halt": "TERM", "shutdown": "TERM", "reboot": "USR1"}
_TOOLS_AT = Path("/usr/lib/calor-cloud")
_TOOLS = {
    "volumes": ("bin/mount", "bin/umount", "sbin/mkfs", "sbin/mkfs.ext4", "sbin/blkid"),
    "packages": ("bin/apt-get", "bin/apt"),
}
"""Our own programs in place of those that need another kernel or an archive, and the names of links to them."""
_USERS = {"cirros": "cirros", "fedora": "fedora", "ubuntu": "ubuntu", "centos": "centos"}


@dataclass(frozen=True)
class Image:
    layers: tuple[Path, ...]
    usr_layers: tuple[Path, ...]
    has_host_usr: bool
    default_user: str


Unpack = Callable[[Path, Path], Awaitable[None]]


def _current() -> str:
    """The version of built images and of the tools in them."""
    content = (archive(), *((_BOOT / tool).read_bytes() for tool in _TOOLS))
    return f"{_VERSION}-{hashlib.sha256(b''.join(content)).hexdigest()[:8]}"


def default_user(name: str) -> str:
    return next((user for start, user in _USERS.items() if name.lower().startswith(start)), "debian")


_FROM_HOST = ("curl", "ping", "sh", "sshd", "ssh-keygen")
"""Programs copied from the host into busybox images: curl sends signals, busybox's ping needs a raw socket, and its
shell prefers its own applets."""
_PROGRAMS = f"{os.defpath}:/usr/local/sbin:/usr/sbin:/sbin"
_SSH_SERVER = """PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PrintMotd no
AcceptEnv LANG LC_*
Subsystem sftp internal-sftp
"""


class Images:
    """The images in a folder. `owner` is the id of the root of servers on the host."""

    def __init__(self, folder: Path, owner: int, unpack: Unpack) -> None:
        self._folder = folder
        self.owner = owner
        self._unpack = unpack
        self._unpacking = Slots(LONG_AT_ONCE)
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    async def image(self, name: str, tarball: Path | None, project: str = "") -> Image:
        """The unpacked image; built when it is first used."""
        return await (self._builtin(name) if tarball is None else self._uploaded(name, tarball, project))

    def _lock(self, place: Path) -> asyncio.Lock:
        return self._locks.setdefault(place, asyncio.Lock())

    async def _builtin(self, name: str) -> Image:
        user = default_user(name)
        small = _static_busybox() if user == "cirros" else None
        place = self._folder / (f"{user}-{_current()}-small" if small else f"{user}-{_current()}")
        async with self._lock(place):
            if not place.exists():
                await asyncio.to_thread(self._build, place, user, small)
        if small is not None:
            return Image((place / "root",), (), False, user)
        return Image((place / "root",), (place / "usr",), True, user)

    async def _uploaded(self, name: str, tarball: Path, project: str) -> Image:
        found = tarball.stat()
        key = hashlib.sha256(
            f"{_VERSION} {tarball} {found.st_mtime_ns} {found.st_size}".encode()
        ).hexdigest()[:24]
        place = self._folder / f"uploaded-{key}"
        async with self._lock(place):
            if not place.exists():
                async with self._unpacking.of(project):
                    await self._unpack_into(place, tarball)
        if (place / "usr").is_dir():
            return Image((place / "root",), (place / "usr",), True, default_user(name))
        return Image((place / "root",), (), False, default_user(name))

    async def _unpack_into(self, place: Path, tarball: Path) -> None:
        partial = _empty_folder(place)
        try:
            await self._unpack(tarball, partial / "root")
        except BackendError:
            await asyncio.to_thread(remove_tree, partial)
            raise
        (partial / "of").write_text(str(tarball))
        partial.rename(place)

    def remove_orphaned(self, in_use: frozenset[Path]) -> None:
        """Removes images whose tarball no longer exists and those of other versions, except those in use."""
        for place in self._folder.glob("*/"):
            if place.suffix == _PARTIAL:
                continue
            mark = place / "of"
            is_current = Path(mark.read_text()).exists() if mark.exists() else f"-{_current()}" in place.name
            if place / "root" not in in_use and not is_current:
                remove_tree(place)

    def _build(self, place: Path, user: str, busybox: Path | None) -> None:
        partial = _empty_folder(place)
        root, usr = partial / "root", partial / "usr"
        for name in (*_FOLDERS, *_FURTHER):
            (root / name).mkdir(parents=True)
        for name in ("tmp", "var/tmp"):
            (root / name).chmod(0o1777)
        (root / "root").chmod(0o700)
        _write_accounts(root / "etc", user)
        (root / "etc/profile").write_text(_PROFILE)
        (root / "etc/ssh").mkdir()
        (root / "etc/ssh/sshd_config").write_text(_SSH_SERVER)
        if busybox is not None:
            _fill_small(root, busybox)
        else:
            _fill_from_host(root)
            _install_guest_tools(partial)
            (root / "usr").rename(usr)
            (root / "usr").mkdir()
            for name in ("sbin", *(f"local/{name}" for name in ("bin", "etc", "lib", "sbin", "share"))):
                (usr / name).mkdir(parents=True, exist_ok=True)
        _add_tools(root if busybox else usr, root / "usr" if busybox else usr)
        for name, signal in _POWER.items():
            command = (root / "sbin" if busybox else usr / "sbin") / name
            command.unlink(missing_ok=True)
            command.write_text(f"#!/bin/sh\nkill -{signal} 1\n")
            command.chmod(0o755)
        if self.owner:
            _chown_tree(partial, self.owner)
            os.chown(root / "home" / user, self.owner + 1000, self.owner + 1000)
        partial.rename(place)


def _empty_folder(place: Path) -> Path:
    partial = place.with_name(place.name + _PARTIAL)
    remove_tree(partial)
    partial.mkdir(mode=0o700, parents=True)
    return partial


def _write_accounts(etc: Path, user: str) -> None:
    lines = {
        "passwd": (
            "root:x:0:0:root:/root:/bin/sh",
            "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin",
            "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin",
            "sshd:x:101:65534::/run/sshd:/usr/sbin/nologin",
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
            f"{user}:x:1000:1000:{user}:/home/{user}:/bin/sh",
        ),
        "group": (
            *(
                "root:x:0:",
                "daemon:x:1:",
                "adm:x:4:",
                "tty:x:5:",
                "sudo:x:27:",
                "www-data:x:33:",
                "users:x:100:",
            ),
            *("nogroup:x:65534:", f"{user}:x:1000:"),
        ),
        # With "!", sshd would refuse keys, too.
        "shadow": ("root:*:19000:0:99999:7:::", f"{user}:*:19000:0:99999:7:::"),
    }
    for name, content in lines.items():
        (etc / name).write_text("".join(f"{line}\n" for line in content))
    (etc / "shadow").chmod(0o640)
    (etc.parent / "home" / user).mkdir(mode=0o755)


def _fill_small(root: Path, busybox: Path) -> None:
    for name in ("bin", "sbin", "usr/bin", "usr/sbin"):
        (root / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(busybox, root / "bin/busybox")
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout
    for name in listed.split():
        if name not in ("busybox", "ping", "ping6"):
            (root / "bin" / name).symlink_to("/bin/busybox")
    (root / "usr/bin/env").symlink_to("/bin/busybox")
    for name in _FROM_HOST:
        program = shutil.which(name, path=_PROGRAMS)
        if program is not None and Path(program).resolve().name != "busybox":
            _add_with_libraries(root, name, Path(program))


def _add_with_libraries(root: Path, name: str, program: Path) -> None:
    """A program of the host, with all that it is linked with."""
    (root / "bin" / name).unlink(missing_ok=True)
    shutil.copy(program, root / "bin" / name)
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"/\S+", listed):
        target = root / library.removeprefix("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)


def _fill_from_host(root: Path) -> None:
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if (Path("/usr") / name).exists():
            (root / name).symlink_to(f"usr/{name}")
    for name in _STATE:
        if (Path("/") / name).is_dir():
            (root / name).mkdir(parents=True)
    for name in _COPIED:
        source, target = Path("/etc") / name, root / "etc" / name
        if source.is_dir():
            _copy_public(source, target)
        elif source.exists():
            _copy_if_public(str(source), str(target), follow_symlinks=True)


def _install_guest_tools(partial: Path) -> None:
    """By the Python of the servers, which then need not compile them."""
    packed, root = partial / "calor-guest.pyz", partial / "root"
    packed.write_bytes(archive())
    if Path(_PYTHON).exists():
        subprocess.run(
            [_PYTHON, "-I", packed, "calor-guest", "install", "--root", root, "--force"], check=True
        )
    else:
        install(str(packed), str(root), force=True)
    packed.unlink()


def _add_tools(programs: Path, usr: Path) -> None:
    """To the folder that becomes /usr, with links in that of the programs."""
    for tool, names in _TOOLS.items():
        place = usr / _TOOLS_AT.relative_to("/usr") / tool
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_BOOT / tool, place)
        place.chmod(0o755)
        for name in names:
            link = programs / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(_TOOLS_AT / tool)


def _copy_public(source: Path, target: Path) -> None:
    """Copies a folder, but only what every user of the host may read."""
    shutil.copytree(
        source, target, symlinks=True, ignore=_hidden, copy_function=_copy_if_public, dirs_exist_ok=True
    )


_OPEN = stat.S_IROTH | stat.S_IXOTH


def _hidden(folder: str, names: list[str]) -> set[str]:
    """Everything in a folder that not every user of the host may enter: there, files often have other modes."""
    if os.stat(folder).st_mode & _OPEN != _OPEN:
        return set(names)
    return {name for name in names if name in ("private", "opasswd")}


def _copy_if_public(source: str, target: str, *, follow_symlinks: bool = False) -> str:
    """Copies only files that every user of the host may read."""
    if os.stat(source, follow_symlinks=follow_symlinks).st_mode & 0o004:
        shutil.copy2(source, target, follow_symlinks=follow_symlinks)
    return target


def _chown_tree(folder: Path, owner: int) -> None:
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files, "."):
            os.chown(os.path.join(place, name), owner, owner, follow_symlinks=False)


def _static_busybox() -> Path | None:
    """A statically linked busybox, if the host has one."""
    found = shutil.which("busybox")
    if found is None:
        return None
    with open(found, "rb") as file:
        head = file.read(4096)
    return None if b"ld-linux" in head or b"ld-musl" in head else Path(found)
