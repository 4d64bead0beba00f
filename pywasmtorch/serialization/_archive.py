"""ArchiveReader and ArchiveWriter: zip archives of checkpoints, validated on reading, with aligned records on writing.

The format is PKWARE's APPNOTE 6.3: local headers with the records, the central directory, its end. The reader takes nothing
on the word of a header: records lie inside of the file and apart from each other, names are relative and unlike, sizes
and checksums are right, and what is deflated may not grow beyond a limit.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

CHUNK = 1 << 20
LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
LOCATOR_64, END_64, DESCRIPTOR = b"PK\x06\x07", b"PK\x06\x06", b"PK\x07\x08"
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
CENTRAL_HEADER = struct.Struct("<4s6H3I5H2I")
END_RECORD = struct.Struct("<4s4H2IH")
END_RECORD_64 = struct.Struct("<4sQ2H2I4Q")
END_LOCATOR_64 = struct.Struct("<4sIQI")
LONGEST_COMMENT = 0xFFFF
ENCRYPTED, HAS_DESCRIPTOR, UTF8 = 1, 8, 1 << 11
STORED, DEFLATED = 0, 8
ALIGNMENT = 64
#: deflated records may take twice the file's size and this much more
INFLATED_ROOM = 64 << 20


class Record(NamedTuple):
    name: str
    method: int
    checksum: int
    stored: int
    size: int
    header: int
    end: int  # where the next record, or the directory, begins


class ArchiveReader:
    """The records of a zip file. RuntimeError, naming the file and the fault, where the file breaks a rule."""

    def __init__(self, file: Any, source: str) -> None:
        self.file, self.source = file, source
        self.length = file.seek(0, 2)
        self.records = self._read_directory()
        first = min(self.records.values(), key=lambda r: r.header, default=None)
        if first is None:
            self.fail("there are no records in it")
        root, slash, _ = first.name.partition("/")
        if not slash:
            self.fail(f"record {first.name[:100]!r} is not in a subdirectory")
        self.root = root + slash

    def fail(self, fault: str) -> NoReturn:
        raise RuntimeError(f"{self.source}: failed reading zip archive: {fault}")

    def _read_at(self, position: int, count: int, what: str) -> bytes:
        if not 0 <= position <= self.length - count:
            self.fail(f"{what} at byte {position} reaches past the end of the file, which has {self.length} bytes")
        self.file.seek(position)
        data = self.file.read(count)
        if len(data) != count:
            self.fail(f"the file became shorter while {what} was read")
        return data

    # ---- directory ----
    def _find_end(self) -> tuple[int, int, int, int]:
        """Returns (number of records, size and place of the directory, where it must end)."""
        count = min(self.length, END_RECORD.size + LONGEST_COMMENT)
        tail = self._read_at(self.length - count, count, "the end")
        at = tail.rfind(END)
        while at >= 0 and (len(tail) - at < END_RECORD.size or len(tail) - at - END_RECORD.size != END_RECORD.unpack_from(tail, at)[7]):
            at = tail.rfind(END, 0, at)
        if at < 0:
            self.fail("failed finding central directory; the file is cut off or damaged")
        place = self.length - len(tail) + at
        _, disk, first_disk, here, total, size, start, _ = END_RECORD.unpack_from(tail, at)
        if disk or first_disk or here != total:
            self.fail("it is split over several files")
        if place >= END_LOCATOR_64.size:
            signature, _, end_64, _ = END_LOCATOR_64.unpack(self._read_at(place - END_LOCATOR_64.size, END_LOCATOR_64.size, "the directory's end"))
            if signature == LOCATOR_64:
                fields = END_RECORD_64.unpack(self._read_at(end_64, END_RECORD_64.size, "the directory's 64-bit end"))
                if fields[0] != END_64:
                    self.fail("the central directory's 64-bit end is damaged")
                total, size, start, place = *fields[7:10], end_64
        if start + size > place:
            self.fail(f"the central directory reaches from byte {start} to {start + size}, over its own end at {place}")
        if total * CENTRAL_HEADER.size > size:
            self.fail(f"a central directory of {size} bytes cannot list {total} records")
        return total, size, start, place

    def _read_directory(self) -> dict[str, Record]:
        total, size, start, _ = self._find_end()
        data = self._read_at(start, size, "the central directory")
        found: dict[str, Record] = {}
        at = 0
        for _ in range(total):
            if at + CENTRAL_HEADER.size > size:
                self.fail("the central directory is cut off")
            fields = CENTRAL_HEADER.unpack_from(data, at)
            signature, _, _, flags, method, _, _, checksum, stored, full, name_length, extra_length, comment_length, _, _, _, header = fields
            if signature != CENTRAL:
                self.fail(f"the central directory is damaged at its byte {at}")
            begin = at + CENTRAL_HEADER.size
            at = begin + name_length + extra_length + comment_length
            if at > size:
                self.fail("the central directory is cut off")
            name = self._checked_name(data[begin : begin + name_length], found)
            if full == 0xFFFFFFFF or stored == 0xFFFFFFFF or header == 0xFFFFFFFF:
                extra = data[begin + name_length : begin + name_length + extra_length]
                full, stored, header = self._wide_fields(name, extra, full, stored, header)
            if flags & ENCRYPTED:
                self.fail(f"record {name[:100]!r} is encrypted")
            if method not in (STORED, DEFLATED):
                self.fail(f"record {name[:100]!r} is compressed by method {method}; only stored and deflated records can be read")
            if method == STORED and stored != full:
                self.fail(f"record {name[:100]!r} is stored in {stored} bytes, but is said to have {full}")
            found[name] = Record(name, method, checksum, stored, full, header, 0)
        return self._apart(found, start)

    def _checked_name(self, raw: bytes, found: dict[str, Record]) -> str:
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError:
            self.fail(f"the record name {raw[:100]!r} is not UTF-8")
        parts = name.split("/")
        if not name or "\0" in name or "\\" in name or ".." in parts or name.startswith("/") or ":" in parts[0]:
            self.fail(f"the record name {name[:100]!r} is not allowed")
        if name in found:
            self.fail(f"record {name[:100]!r} is there twice")
        return name

    def _wide_fields(self, name: str, extra: bytes, full: int, stored: int, header: int) -> list[int]:
        """The sizes and the place that do not fit in 32 bits."""
        at = 0
        values = [full, stored, header]
        while at + 4 <= len(extra):
            kind, length = struct.unpack_from("<2H", extra, at)
            if kind == 1:
                wide = [i for i, value in enumerate(values) if value == 0xFFFFFFFF]
                if at + 4 + length > len(extra) or length < 8 * len(wide):
                    break
                for k, i in enumerate(wide):
                    (values[i],) = struct.unpack_from("<Q", extra, at + 4 + 8 * k)
                return values
            at += 4 + length
        self.fail(f"the sizes of record {name[:100]!r} are damaged")

    def _apart(self, found: dict[str, Record], directory: int) -> dict[str, Record]:
        """The records with their ends, once none reaches into the next."""
        ordered = sorted(found.values(), key=lambda r: r.header)
        for record, end in zip(ordered, [*(r.header for r in ordered[1:]), directory]):
            least = record.header + LOCAL_HEADER.size + len(record.name.encode()) + record.stored
            if least > end:
                self.fail(f"record {record.name[:100]!r} ends at byte {least} or later, inside of what begins at byte {end}")
            found[record.name] = record._replace(end=end)
        inflated = sum(r.size for r in ordered if r.method == DEFLATED)
        if inflated > 2 * self.length + INFLATED_ROOM:
            self.fail(f"its records would inflate to {inflated} bytes, too many for a file of {self.length} bytes")
        return found

    # ---- records ----
    def has(self, name: str) -> bool:
        return self.root + name in self.records

    def record(self, name: str) -> Record:
        found = self.records.get(self.root + name)
        if found is None:
            self.fail(f"there is no record {(self.root + name)[:100]!r}")
        return found

    def offset(self, record: Record) -> int:
        """Where the bytes of a record begin."""
        header = self._read_at(record.header, LOCAL_HEADER.size, f"the header of record {record.name[:100]!r}")
        signature, _, _, method, _, _, _, _, _, name_length, extra_length = LOCAL_HEADER.unpack(header)
        if signature != LOCAL or method != record.method:
            self.fail(f"the header of record {record.name[:100]!r} is damaged")
        begin = record.header + LOCAL_HEADER.size + name_length + extra_length
        if begin + record.stored > record.end:
            self.fail(f"record {record.name[:100]!r} ends at byte {begin + record.stored}, inside of what begins at byte {record.end}")
        name = self._read_at(record.header + LOCAL_HEADER.size, name_length, f"the header of record {record.name[:100]!r}")
        if name != record.name.encode():
            self.fail(f"record {record.name[:100]!r} has another name in its own header")
        return begin

    def chunks(self, record: Record) -> Iterator[bytes]:
        """The bytes of a record piece by piece; as many as its size says, and with its checksum."""
        begin = self.offset(record)
        inflate = zlib.decompressobj(-15) if record.method == DEFLATED else None
        checksum = got = 0
        for at in range(0, record.stored, CHUNK):
            data = self._read_at(begin + at, min(CHUNK, record.stored - at), f"record {record.name[:100]!r}")
            while data:
                if inflate is None:
                    piece, data = data, b""
                else:
                    try:
                        piece = inflate.decompress(data, CHUNK)
                    except zlib.error as error:
                        self.fail(f"record {record.name[:100]!r} cannot be inflated: {error}")
                    data = inflate.unconsumed_tail
                    if not piece and inflate.eof:
                        break
                got += len(piece)
                if got > record.size:
                    self.fail(f"record {record.name[:100]!r} is longer than the {record.size} bytes that it is said to have")
                checksum = zlib.crc32(piece, checksum)
                if piece:
                    yield piece
        if got != record.size:
            self.fail(f"record {record.name[:100]!r} has {got} bytes instead of {record.size}")
        # PyTorch writes 0 where it was told to compute none
        if checksum != record.checksum and record.checksum:
            self.fail(f"the bytes of record {record.name[:100]!r} are damaged: their checksum is wrong")

    def read(self, name: str) -> bytes:
        return b"".join(self.chunks(self.record(name)))


class ArchiveWriter:
    """Writes records to a file front to back, as PyTorch lays them out: stored, each at a multiple of 64 bytes."""

    def __init__(self, file: Any, root: str, with_checksums: bool = True) -> None:
        self.file, self.root, self.with_checksums = file, root, with_checksums
        self.position = 0
        self.directory: list[bytes] = []
        self.identity = hashlib.sha256()

    def _put(self, data: Any) -> None:
        self.file.write(data)
        self.position += len(data)

    def write(self, name: str, chunks: Iterable[bytes], size: int) -> None:
        raw = f"{self.root}/{name}".encode()
        header, flags = self.position, UTF8 | (HAS_DESCRIPTOR if size else 0)
        if header + size > 0xFFFFFFFF:
            raise RuntimeError("a checkpoint of more than 4 GiB cannot be written")
        padding = -(header + LOCAL_HEADER.size + len(raw) + 4) % ALIGNMENT
        self._put(LOCAL_HEADER.pack(LOCAL, 0, flags, STORED, 0, 0, 0, 0, 0, len(raw), 4 + padding) + raw + struct.pack("<2sH", b"FB", padding) + b"Z" * padding)
        begin, checksum = self.position, 0
        for chunk in chunks:
            if self.with_checksums:
                checksum = zlib.crc32(chunk, checksum)
            self._put(chunk)
        if self.position - begin != size:
            raise RuntimeError(f"record {name[:100]!r} was to have {size} bytes, but has {self.position - begin}")
        if size:
            self._put(struct.pack("<4s3I", DESCRIPTOR, checksum, size, size))
        self.identity.update(raw + struct.pack("<2I", checksum, size))
        self.directory.append(CENTRAL_HEADER.pack(CENTRAL, 0, 0, flags, STORED, 0, 0, checksum, size, size, len(raw), 0, 0, 0, 0, 0, header) + raw)

    def write_bytes(self, name: str, data: bytes) -> None:
        self.write(name, [data], len(data))

    def finish(self) -> None:
        """Writes what identifies the archive, and the directory."""
        self.write_bytes("version", b"3\n")
        digest = self.identity.digest()
        self.write_bytes(".data/serialization_id", b"".join(b"%020d" % int.from_bytes(digest[i : i + 8], "little") for i in (0, 8)))
        start, count = self.position, len(self.directory)
        for entry in self.directory:
            self._put(entry)
        size, end = self.position - start, self.position
        self._put(END_RECORD_64.pack(END_64, END_RECORD_64.size - 12, 0x31E, 45, 0, 0, count, count, size, start))
        self._put(END_LOCATOR_64.pack(LOCATOR_64, 0, end, 1))
        short = min(count, 0xFFFF)
        self._put(END_RECORD.pack(END, 0, 0, short, short, size, start, 0))
