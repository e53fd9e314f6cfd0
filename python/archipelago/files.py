# SPDX-License-Identifier: Apache-2.0
"""Files by name, with the rules and words of models/common/files.h: what is read comes whole or is refused in words; what is
written takes its name once it is whole, so that a full disk leaves the old file."""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
import tempfile
from contextlib import contextmanager
from typing import IO, Any, Iterator, Union

from archipelago.errors import Refused, writing

PathLike = Union[str, "os.PathLike[str]"]

_WRITER_SECONDS = 1.0  # that a FIFO's writer has to come


def read_bytes(path: PathLike) -> bytes:
    """A FIFO is refused when nobody opens it for writing within a second."""
    try:
        return _read(os.fspath(path))
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def _read(path: str) -> bytes:
    if not path:
        raise Refused('"": the name is empty, expected a file')
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # not to wait for a writer
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            raise Refused(f"{path}: is a directory, expected a file")
        is_fifo = stat.S_ISFIFO(mode)
        if is_fifo:
            select.select([file], [], [], _WRITER_SECONDS)
        pieces: list[bytes] = []
        waited = False
        while True:
            try:
                piece = os.read(file, 1 << 16)
            except BlockingIOError:
                if is_fifo and not waited:
                    print(f"{path}: waits for data of this FIFO", file=sys.stderr, flush=True)
                waited = True
                select.select([file], [], [])
                continue
            if not piece:
                if is_fifo and not pieces and not waited:
                    raise Refused(f"{path}: is a FIFO that nobody writes")
                return b"".join(pieces)
            pieces.append(piece)
    finally:
        os.close(file)


def read_text(path: PathLike) -> str:
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: is no text file") from error


def need_plain(path: PathLike, expected: str) -> None:
    """Refuses what SQLite and others cannot open by themselves: they would wait for a FIFO."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise Refused(f"{path}: no such file, expected {expected}") from None
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    if not stat.S_ISREG(mode):
        raise Refused(f"{path}: is {'a directory' if stat.S_ISDIR(mode) else 'no plain file'}, expected {expected}")


@contextmanager
def written(path: PathLike, mode: str = "w", kept: str = "", **options: Any) -> Iterator[IO[Any]]:
    """A file to write. Until all is written it stands beside its name, as NAME.xxxxxxxx.part. Devices and pipes are written
    as they are; so is a file in a folder that cannot be written. `kept`: what is not lost when it fails."""
    name = os.fspath(path)
    if "b" not in mode:
        options.setdefault("encoding", "utf-8")
    with writing(name, kept):
        if _is_stream(name):
            with os.fdopen(_open_stream(name), mode, **options) as file:
                yield file
            return
        target = os.path.realpath(name)
        part = _part_of(name, target)
        try:
            with open(part, mode, **options) as file:
                yield file
            if part != target:
                os.replace(part, target)
        except BaseException:
            if part != target:
                os.unlink(part)
            raise


def _is_stream(path: str) -> bool:
    """Streams of the process, devices and pipes: a new file cannot take their names."""
    return path.startswith(("/dev/std", "/dev/fd/", "/proc/")) or (os.path.exists(path) and not os.path.isfile(path))


def _open_stream(path: str) -> int:
    is_plain = os.path.isfile(path)
    try:
        file = os.open(path, os.O_WRONLY | (os.O_TRUNC if is_plain else os.O_NONBLOCK))
    except OSError as error:
        if error.errno == errno.ENXIO and stat.S_ISFIFO(os.stat(path).st_mode):
            raise Refused(f"{path}: is a FIFO that nobody reads") from None
        raise
    os.set_blocking(file, True)
    return file


def _part_of(name: str, target: str) -> str:
    """A new file beside `target` that may become it; `target` itself where there can be none."""
    exists = os.path.exists(target)
    if exists and not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), name)
    try:
        file, part = tempfile.mkstemp(prefix=f"{os.path.basename(target)}.", suffix=".part", dir=os.path.dirname(target))
    except OSError as error:
        if exists or error.errno == errno.ENAMETOOLONG:
            return target
        raise OSError(error.errno, error.strerror, name) from error
    mask = os.umask(0)
    os.umask(mask)
    os.fchmod(file, stat.S_IMODE(os.stat(target).st_mode) if exists else 0o666 & ~mask)
    os.close(file)
    return part
