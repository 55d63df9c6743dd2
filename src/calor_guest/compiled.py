"""Adds the compiled modules to the archive of the guest tools, for the Python that runs this.

Python keeps no compiled modules of an archive, and compiling is a third of what a short program takes. Another version
of Python uses the sources, which stay."""

import importlib.util
import io
import marshal
import zipfile

_UNCHECKED = b"\1\0\0\0" + bytes(8)
"""What follows the magic number of modules that are not compared with their sources. Python 3.6 takes it for a time,
which is not that of the source, and so uses the source."""


def with_compiled_modules(archive: bytes, path: str) -> bytes:
    """The archive, for a place in which it will be."""
    buffer = io.BytesIO(archive)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as packed:
        known = set(packed.namelist())
        for entry in packed.infolist():
            name = entry.filename + "c"
            if entry.filename.endswith(".py") and name not in known:
                code = compile(packed.read(entry), f"{path}/{entry.filename}", "exec", dont_inherit=True)
                content = importlib.util.MAGIC_NUMBER + _UNCHECKED + marshal.dumps(code)
                packed.writestr(zipfile.ZipInfo(name, entry.date_time), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
