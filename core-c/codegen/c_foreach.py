"""Functions of lists: `foreach: add(self, other)` in a table is one call of the core with a loop over the items."""

from __future__ import annotations

from .formulas import Formula
from .schema import C_TYPES, Argument, Schema
from .tables import Entry

ITEM_TYPES = {"Tensor[]": "Tensor", "Scalar[]": "Scalar"}


def lists(entry: Entry) -> list[str]:
    return [a.name for a in entry.schema.arguments if a.type == "Tensor[]"]


def is_numbers(a: Argument) -> bool:
    """A tensor whose elements are one number for each item, where a list of numbers may stand, too."""
    return a.type == "Tensor" and a.name == "scalars"


def _parameters(entry: Entry) -> str:
    return ", ".join(f"{C_TYPES[a.type]}{a.name}_list" if a.type in ITEM_TYPES or is_numbers(a) else f"{C_TYPES[a.type]}{a.name}" for a in entry.schema.arguments)


def prototypes(entry: Entry) -> list[str]:
    out = []
    if entry.forms != ["inplace"]:
        out.append(f"TensorList pwt_{entry.c_name}({_parameters(entry)});")
    if entry.has_inplace:
        out.append(f"bool pwt_{entry.c_name}_({_parameters(entry)});")
    return out


def _checks(entry: Entry, fail: str) -> str:
    first, *others = lists(entry)
    tests = [f"!pwt_check_each({first}_list.count, {first}_list.count)"]
    out = []
    for a in entry.schema.arguments:
        if a.name in others:
            tests.append(f"!pwt_check_each({first}_list.count, {a.name}_list.count)")
        elif a.type == "Scalar[]":
            tests.append(f"!pwt_check_each_numbers({first}_list.count, {a.name}_list.count)")
        elif is_numbers(a):
            out.append(f"  ScalarList {a.name}_items = pwt_numbers_of({a.name}_list, {first}_list.count);\n")
        elif a.type == "Tensor":
            tests.append(f"!pwt_check_each_number({a.name})")
    out.append(f"  if (pwt_failed() || {' || '.join(tests)}) return {fail};\n")
    return "".join(out)


def _items(entry: Entry) -> str:
    out = []
    for a in entry.schema.arguments:
        if a.type in ITEM_TYPES:
            out.append(f"    {C_TYPES[ITEM_TYPES[a.type]]}{a.name} = {a.name}_list.items[i];\n")
        elif is_numbers(a):
            out.append(f"    Scalar {a.name} = {a.name}_items.items[i];\n")
    return "".join(out)


def _of_items(entry: Entry) -> Entry:
    """The entry with its lists' items for arguments, as the expression sees it."""
    arguments = tuple(
        Argument("Scalar" if is_numbers(a) else ITEM_TYPES.get(a.type, a.type), a.name, a.default, a.has_default) for a in entry.schema.arguments
    )
    schema = Schema(entry.schema.name, entry.schema.overload, arguments, (("Tensor", "result"),))
    return Entry(schema, [], "composite", entry.source, entry.where, entry.family)


def functions(entry: Entry, by_name: dict[str, Entry]) -> str:
    first = lists(entry)[0]
    item = _of_items(entry)
    call, kind = Formula(item, by_name, gradient=False).translate(str(entry.source))
    if kind != "Tensor":
        raise entry.fail(f"the expression gives a {kind}, not a tensor")
    out = []
    if entry.forms != ["inplace"]:
        out.append(
            f"TensorList pwt_{entry.c_name}({_parameters(entry)}) {{\n{_checks(entry, '(TensorList){0}')}"
            f"  TensorList results = pwt_list_new({first}_list.count);\n"
            f"  for (int64_t i = 0; i < {first}_list.count && results.items && !pwt_failed(); i++) {{\n{_items(entry)}"
            f"    int64_t mark = pwt_scope_open();\n    results.items[i] = pwt_scope_keep(mark, {call});\n  }}\n  return results;\n}}\n\n"
        )
    if entry.has_inplace:
        operator = str(entry.source).split("(")[0]
        callee = by_name[operator]
        target = call.replace(f"pwt_{callee.c_name}(", f"pwt_{callee.c_name}_(", 1)
        if callee.has_inplace:
            body = f"    if (!{target}) done = false;\n"
        else:
            body = (
                "    Tensor *target = self;\n    bool records = false;\n    self = pwt_each_operand(self, &records);\n"
                f"    if (!pwt_assign_each(target, {call}, records)) done = false;\n"
            )
        out.append(
            f"bool pwt_{entry.c_name}_({_parameters(entry)}) {{\n{_checks(entry, 'false')}  bool done = true;\n"
            f"  for (int64_t i = 0; i < {first}_list.count && done; i++) {{\n{_items(entry)}"
            f"    int64_t mark = pwt_scope_open();\n{body}    pwt_scope_close(mark);\n  }}\n  return done && !pwt_failed();\n}}\n\n"
        )
    return "".join(out)
