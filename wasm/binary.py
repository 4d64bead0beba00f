"""Reads a WebAssembly binary: its sections, imports and exports, checked against the ABI."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("func", "table", "memory", "global", "tag")
VALUE_TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128", 0x70: "funcref", 0x6F: "externref"}
TYPE, IMPORT, FUNCTION, GLOBAL, EXPORT, CUSTOM = 1, 2, 3, 6, 7, 0

#: Everything that a host may use, with its type. `wasm/abi.md` says what each one does.
ABI_EXPORTS = {
    "pwt_abi_version": "() -> i32",
    "pwt_start": "() -> i32",
    "pwt_invoke": "(i32) -> i32",
    "pwt_release_area": "() -> i32",
    "pwt_release_dead": "() -> ()",
    "pwt_error": "() -> i32",
    "pwt_alloc_buffer": "(i32) -> i32",
    "pwt_lend": "(i32) -> i32",
    "pwt_free": "(i32) -> ()",
    "pwt_set_memory_limit": "(i64) -> ()",
    "pwt_starter_stack": "() -> i32",
    "pwt_thread_new": "() -> i32",
    "pwt_thread_enter": "(i32) -> i32",
    "pwt_thread_leave": "() -> ()",
    "pwt_worker_loop": "(i32) -> ()",
    "pwt_worker_stack": "(i32) -> i32",
    "pwt_workers_ready": "() -> i32",
    "pwt_workers_stop": "() -> ()",
    "pwt_worker_failed": "() -> ()",
    "pwt_set_num_threads": "(i32) -> ()",
    "pwt_get_num_threads": "() -> i32",
    "pwt_set_may_block": "(i32) -> ()",
    "pwt_held_once": "(i32) -> i32",
    "pwt_hold": "(i32) -> ()",
    "__stack_pointer": "global",
}
MAX_MEMORY_PAGES = 65535
ABI_IMPORTS = {"env.memory": f"shared memory, at most {MAX_MEMORY_PAGES} pages", "host.call": "(i32, i32) -> i32"}
MAX_BYTES = 1_500_000


@dataclass
class Binary:
    """What a module declares. Functions are described as "(i32, i64) -> i32"."""

    size: int
    imports: dict[str, str] = field(default_factory=dict)
    exports: dict[str, str] = field(default_factory=dict)
    custom_sections: list[str] = field(default_factory=list)
    memory_minimum: int = 0
    shared_flag_offset: int = -1


class _Reader:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result

    def name(self) -> str:
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def value_types(self) -> list[str]:
        return [VALUE_TYPES[self.byte()] for _ in range(self.number())]

    def function_type(self) -> str:
        if self.byte() != 0x60:
            raise ValueError("only plain function types are expected")
        parameters, results = self.value_types(), self.value_types()
        return f"({', '.join(parameters)}) -> {', '.join(results) or '()'}"


def read(data: bytes) -> Binary:
    """Describes a module. Raises ValueError when it is not one."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise ValueError("not a WebAssembly module")
    binary, reader = Binary(len(data)), _Reader(data, 8)
    types: list[str] = []
    functions: list[str] = []
    while reader.at < len(data):
        section, length = reader.byte(), reader.number()
        end = reader.at + length
        if section == CUSTOM:
            binary.custom_sections.append(reader.name())
        elif section == TYPE:
            types = [reader.function_type() for _ in range(reader.number())]
        elif section == IMPORT:
            for _ in range(reader.number()):
                _read_import(reader, binary, types, functions)
        elif section == FUNCTION:
            functions += [types[reader.number()] for _ in range(reader.number())]
        elif section == EXPORT:
            for _ in range(reader.number()):
                name, kind, index = reader.name(), reader.byte(), reader.number()
                binary.exports[name] = functions[index] if kind == 0 else KINDS[kind]
        reader.at = end
    return binary


def _read_import(reader: _Reader, binary: Binary, types: list[str], functions: list[str]) -> None:
    name = f"{reader.name()}.{reader.name()}"
    kind = reader.byte()
    if KINDS[kind] == "func":
        functions.append(types[reader.number()])
        binary.imports[name] = functions[-1]
    elif KINDS[kind] == "memory":
        binary.shared_flag_offset = reader.at
        flags, minimum = reader.byte(), reader.number()
        maximum = f"at most {reader.number()} pages" if flags & 1 else "no maximum"
        binary.memory_minimum = minimum
        binary.imports[name] = f"{'shared memory' if flags & 2 else 'memory'}, {maximum}"
    else:
        raise ValueError(f"unexpected import {name} of kind {KINDS[kind]}")


def problems(binary: Binary) -> list[str]:
    """What a module does not keep of the ABI: one sentence for each deviation, none when all is well."""
    found = []
    for what, expected, actual in (("import", ABI_IMPORTS, binary.imports), ("export", ABI_EXPORTS, binary.exports)):
        for name in sorted(expected.keys() | actual.keys()):
            if name not in actual:
                found.append(f"the {what} {name} is missing")
            elif name not in expected:
                found.append(f"the {what} {name} is not part of the ABI")
            elif expected[name] != actual[name]:
                found.append(f"the {what} {name} is {actual[name]}, the ABI says {expected[name]}")
    if binary.custom_sections:
        found.append(f"custom sections were not stripped: {', '.join(binary.custom_sections)}")
    if binary.size > MAX_BYTES:
        found.append(f"{binary.size} bytes are more than {MAX_BYTES}")
    return found


def read_file(path: Path) -> Binary:
    return read(path.read_bytes())
