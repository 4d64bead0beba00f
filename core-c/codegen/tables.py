"""Loads ``core-c/ops/*.yaml`` into entries; every error names the file, the line and the entry."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import yaml

from .schema import Schema, TableError, parse

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
INTS, FLOATS, COMPLEXES = DTYPES[1:6], DTYPES[6:10], DTYPES[10:]
UNSIGNED = ["uint16", "uint32", "uint64"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
#: by their numbers; the last eight are kept, moved and converted, and few operators compute with them
ALL_DTYPES = [*DTYPES, *UNSIGNED, *FLOAT8]
TYPE_GROUPS = {
    "bool": ["bool"],
    "int": INTS,
    "float": FLOATS,
    "complex": COMPLEXES,
    "integral": ["bool", *INTS],
    "real": ["bool", *INTS, *FLOATS],
    "number": [*INTS, *FLOATS, *COMPLEXES],
    "all": DTYPES,
    "unsigned": UNSIGNED,
    "float8": FLOAT8,
}
PROMOTIONS = {
    "common": "PROMOTE_COMMON",
    "float": "PROMOTE_FLOAT",
    "compare": "PROMOTE_COMPARE",
    "bool": "PROMOTE_BOOL",
    "where": "PROMOTE_WHERE",
    "abs": "PROMOTE_ABS",
}
FORMS = {"function", "method", "inplace", "out", "nn", "linalg", "special", "fft", "internal", "property"}
BODIES = ("pointwise", "kernel", "composite", "view", "foreach")
SOURCES = Path(__file__).resolve().parents[1] / "src"
#: families that only move, convert and describe, whatever the dtype
DTYPE_FREE = {"autograd", "copy", "storage", "views"}
OWN_FOLDERS = {"autograd", "optim"}  # families whose C is no kernel's
KEYS = {"op", "as", "types", "promote", "numbers", "grad", "node", "doc", "check", "varargs", "tuple", "nondiff", "alias", "compute", "autocast", "meta", "devices", "dtypes", *BODIES}


@dataclass
class Entry:
    schema: Schema
    forms: list[str]
    body: str  # pointwise, kernel, composite, view or foreach
    source: object  # expression, mapping of expressions, or a C file's name
    where: str
    family: str
    types: list[str] = field(default_factory=list)
    promote: str = "common"
    numbers: list[str] = field(default_factory=list)
    grad: dict[str, str] = field(default_factory=dict)
    node: str = ""
    node_other: str = ""  # the node's name where the C condition node_other_if holds
    node_other_if: str = ""
    doc: str = ""
    check: str = ""
    varargs: str = ""
    as_tuple: bool = False
    nondiff: bool = False
    in_double: bool = False  # one loop, in double, for all float types
    aliases: list[str] = field(default_factory=list)
    autocast: str = ""  # what autocast converts the inputs to: lower, float32 or widest
    meta: bool = True  # whether the result's shape follows from the arguments' shapes, so that meta tensors have one
    mixes_devices: bool = False
    index: int = 0
    any_dtype: bool = False  # `dtypes: any`

    @property
    def stored_dtypes(self) -> int:
        """Whether the operator takes dtypes that are only kept, moved and converted: 1 for wide unsigned ones, 2 for float8, 3 for both."""
        if self.any_dtype or self.family in DTYPE_FREE or (self.body == "pointwise" and self.promote != "bool"):
            return 3  # pointwise ones look at the common dtype
        return int(UNSIGNED[0] in self.types) + 2 * int(FLOAT8[0] in self.types)

    @property
    def c_name(self) -> str:
        return self.schema.c_name

    @property
    def has_inplace(self) -> bool:
        return "inplace" in self.forms

    @property
    def has_out(self) -> bool:
        return "out" in self.forms

    @property
    def node_name(self) -> str:
        if self.node:
            return self.node
        words = self.schema.name.strip("_").split("_")
        return "".join(w[:1].upper() + w[1:] for w in words) + "Backward0"

    def fail(self, message: str) -> TableError:
        return TableError(f"{self.where}: {self.schema.full_name}: {message}")


class _Loader(yaml.SafeLoader):
    """Keeps the line of each mapping."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    value = loader.construct_mapping(node, deep=True)
    value["__line__"] = node.start_mark.line + 1
    return value


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _types(text: str) -> list[str]:
    chosen: set[str] = set()
    for word in (w.strip() for w in text.split(",")):
        if word not in TYPE_GROUPS and word not in ALL_DTYPES:
            raise TableError(f"unknown type group '{word}'")
        chosen |= set(TYPE_GROUPS.get(word, [word]))
    return [d for d in ALL_DTYPES if d in chosen]


def _list(value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def folder_of(family: str) -> Path:
    """Where the C of a table's entries lives: the folder of its name."""
    return SOURCES / family if family in OWN_FOLDERS else SOURCES / "kernels" / family


def _entry(raw: dict, where: str, family: str) -> Entry:
    unknown = set(raw) - KEYS
    if unknown:
        raise TableError(f"unknown key '{sorted(unknown)[0]}'")
    bodies = [b for b in BODIES if b in raw]
    if len(bodies) != 1:
        raise TableError(f"needs exactly one of {', '.join(BODIES)}; has {bodies or 'none'}")
    schema = parse(raw["op"])
    forms = _list(raw.get("as", ["function", "method"]))
    bad = set(forms) - FORMS
    if bad:
        raise TableError(f"unknown form '{sorted(bad)[0]}' in 'as'")
    promote = raw.get("promote", "common")
    if promote not in PROMOTIONS:
        raise TableError(f"unknown promotion '{promote}'")
    grad: dict[str, str] = {}
    names = {a.name for a in schema.arguments}
    for key, formula in (raw.get("grad") or {}).items():
        if key == "__line__":
            continue
        for name in (n.strip() for n in str(key).split(",")):
            if name not in names:
                raise TableError(f"'grad' names '{name}', which is no argument")
        grad[str(key)] = str(formula)
    if raw.get("compute", "double") != "double":
        raise TableError(f"'compute' may be double only, not '{raw['compute']}'")
    if raw.get("dtypes", "any") != "any":
        raise TableError(f"'dtypes' may be any only, not '{raw['dtypes']}'")
    if raw.get("autocast", "lower") not in ("lower", "float32", "widest"):
        raise TableError(f"'autocast' may be lower, float32 or widest, not '{raw['autocast']}'")
    for key, only in (("meta", "none"), ("devices", "any")):
        if raw.get(key, only) != only:
            raise TableError(f"'{key}' may be {only} only, not '{raw[key]}'")
    source = raw[bodies[0]]
    if bodies[0] not in ("pointwise", "foreach") and (bodies[0] != "composite" or str(source).endswith(".c")) and not (folder_of(family) / str(source)).is_file():
        raise TableError(f"'{bodies[0]}' names '{source}', which is not in {folder_of(family).relative_to(SOURCES.parents[1]).as_posix()}")
    if isinstance(source, dict):
        source = {k: str(v) for k, v in source.items() if k != "__line__"}
    node = raw.get("node", "")
    entry = Entry(
        schema=schema, forms=forms, body=bodies[0], source=source if isinstance(source, dict) else str(source), where=where,
        family=family, types=_types(raw.get("types", "all")), promote=promote, numbers=_list(raw.get("numbers")), grad=grad,
        node=node.get("else", "") if isinstance(node, dict) else node, node_other=node.get("then", "") if isinstance(node, dict) else "",
        node_other_if=node.get("if", "") if isinstance(node, dict) else "",
        doc=raw.get("doc", ""), check=raw.get("check", ""), varargs=raw.get("varargs", ""),
        as_tuple=bool(raw.get("tuple", False)), nondiff=bool(raw.get("nondiff", False)), aliases=_list(raw.get("alias")), in_double="compute" in raw,
        autocast=raw.get("autocast", ""), meta="meta" not in raw, mixes_devices="devices" in raw, any_dtype=raw.get("dtypes", "") == "any",
    )
    for name in entry.numbers:
        if name not in names:
            raise TableError(f"'numbers' names '{name}', which is no argument")
    return entry


def _expanded(raw: dict) -> list[dict]:
    """A row with `each: [abs, exp]` stands for one row a name, which takes the place of {}."""
    names = raw.pop("each", None)
    if names is None:
        return [raw]
    return [{k: v.replace("{}", name) if isinstance(v, str) else v for k, v in raw.items()} for name in _list(names)]


def load(paths: list[Path]) -> list[Entry]:
    entries: list[Entry] = []
    seen: dict[str, str] = {}
    for path in sorted(paths):
        try:
            rows = yaml.load(path.read_text(encoding="utf-8"), _Loader) or []
        except yaml.YAMLError as error:
            raise TableError(f"{path.name}: {error}") from None
        for raw in rows:
            line = raw.pop("__line__", 0) if isinstance(raw, dict) else 0
            where = f"{path.name}:{line}"
            if not isinstance(raw, dict) or "op" not in raw:
                raise TableError(f"{where}: an entry needs 'op'")
            for row in _expanded(raw):
                title = str(row["op"]).split("(")[0]
                try:
                    entry = _entry(row, where, path.stem)
                except TableError as error:
                    raise TableError(f"{where}: {title}: {error}") from None
                if entry.c_name in seen:
                    raise entry.fail(f"already defined at {seen[entry.c_name]}")
                seen[entry.c_name] = where
                entries.append(entry)
    for index, entry in enumerate(entries):
        entry.index = index
    return entries
