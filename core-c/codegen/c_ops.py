"""Writes ``ops.h`` and one ``ops_<family>.c`` per table: loops, gradient nodes and the operators themselves."""

from __future__ import annotations

import re
from collections import defaultdict

from . import c_foreach
from .expressions import C_TYPE, expression_for
from .formulas import Formula
from .schema import C_TYPES
from .tables import ALL_DTYPES, FLOAT8, PROMOTIONS, Entry

BANNER = "/* Generated from core-c/ops/{source}: do not edit. */\n"
COMPUTE_OF = {
    "bool": "CT_I32", "uint8": "CT_I32", "int8": "CT_I32", "int16": "CT_I32", "int32": "CT_I32", "int64": "CT_I64", "float16": "CT_F32",
    "bfloat16": "CT_F32", "float32": "CT_F32", "float64": "CT_F64", "complex64": "CT_C64", "complex128": "CT_C128",
    "uint16": "CT_I32", "uint32": "CT_I64", "uint64": "CT_I64", **dict.fromkeys(FLOAT8, "CT_F32"),
}
BLOCK_FUNCTIONS = {(f, t) for f in ("sin", "cos", "tan") for t in ("f32", "f64")} | {(f, "f32") for f in ("fmod", "remainder", "floor_divide")}
REAL_OF = {"CT_C64": "CT_F32", "CT_C128": "CT_F64"}


def return_type(entry: Entry) -> str:
    returns = entry.schema.returns
    if len(returns) > 1:
        return f"Tensors{len(returns)} "
    return {"Tensor": "Tensor *", "Tensor[]": "TensorList ", "int": "int64_t ", "float": "double ", "bool": "bool ", "Scalar": "Scalar ",
            "ScalarType": "DType "}[returns[0][0]]


def failure_value(entry: Entry) -> str:
    kind = return_type(entry)
    if kind == "Tensor *":
        return "NULL"
    if kind in ("int64_t ", "double ", "bool ", "DType "):
        return "0"
    return f"({kind.strip()}){{0}}"


def parameters(entry: Entry, target: bool = False) -> str:
    parts = [f"{C_TYPES[a.type]}{a.name}" for a in entry.schema.arguments]
    if target:
        parts += ["Tensor *out", "Form form"]
    return ", ".join(parts) or "void"


def names(entry: Entry) -> str:
    return ", ".join(a.name for a in entry.schema.arguments)


def has_target(entry: Entry) -> bool:
    """Several results are written to out= by the host."""
    return entry.has_inplace or (entry.has_out and len(entry.schema.returns) == 1)


def prototypes(entry: Entry) -> list[str]:
    if entry.body == "foreach":
        return c_foreach.prototypes(entry)
    lines = [f"{return_type(entry)}pwt_{entry.c_name}({parameters(entry)});"]
    if has_target(entry):
        lines.append(f"Tensor *pwt_{entry.c_name}_form({parameters(entry, True)});")
    if entry.has_inplace:
        first = entry.schema.arguments[0].name
        lines.append(f"static inline Tensor *pwt_{entry.c_name}_({parameters(entry)}) {{ return pwt_{entry.c_name}_form({names(entry)}, {first}, FORM_INPLACE); }}")
    if entry.body in ("kernel", "view") or (entry.body == "composite" and str(entry.source).endswith(".c")):
        lines.append(f"{return_type(entry)}pwt_kernel_{entry.c_name}({parameters(entry)});")
    return lines


def header(entries: list[Entry]) -> str:
    out = [BANNER.format(source=""), "#pragma once", '#include "call.h"', ""]
    family = None
    for e in entries:
        if e.family != family:
            family = e.family
            out.append(f"\n/* {family} */")
        out += prototypes(e)
    return "\n".join(out) + "\n"


# ---- pointwise loops ----
def compute_types(entry: Entry) -> list[str]:
    if entry.promote == "bool":
        return ["CT_BOOL"]
    present = {COMPUTE_OF[d] for d in entry.types}
    if entry.promote == "float":
        present -= {"CT_I32", "CT_I64"}
    if entry.in_double:
        present -= {"CT_F32"}
    return [c for c in ("CT_BOOL", "CT_I32", "CT_I64", "CT_F32", "CT_F64", "CT_C64", "CT_C128") if c in present]


def scalar_parameter(kind: str, compute: str, index: int, name: str) -> str:
    if compute in ("CT_I32", "CT_I64", "CT_BOOL"):
        value = f"pwt_scalar_as_int(p[{index}])"
    elif compute in ("CT_F32", "CT_F64"):
        value = f"p[{index}].re"
    else:
        real = C_TYPE[REAL_OF[compute]]
        return f"  const {C_TYPE[compute]} {name} = pwt_make_{'c64' if compute == 'CT_C64' else 'c128'}(({real})p[{index}].re, ({real})p[{index}].im);\n"
    return f"  const {C_TYPE[compute]} {name} = ({C_TYPE[compute]}){value};\n"


def block_call(entry: Entry, compute: str, tensors: list[str]) -> str | None:
    """vmath's function for a whole block, where it has one and the expression is just that function."""
    match = re.fullmatch(r"pwt_(\w+)_(f32|f64)\((.*)\)", expression_for(entry, compute))
    if match and (match[1], match[2]) in BLOCK_FUNCTIONS and match[3].split(", ") == tensors:
        return f"pwt_{match[1]}_block_{match[2]}"
    return None


def pointwise_loops(entry: Entry) -> str:
    tensors = [a for a in entry.schema.arguments if a.is_tensor]
    scalars = [a for a in entry.schema.arguments if not a.is_tensor]
    out, table = [], []
    for compute in compute_types(entry):
        kind = C_TYPE[compute]
        if entry.promote in ("compare", "bool"):
            result = "uint8_t"
        elif entry.promote == "abs":
            result = C_TYPE[REAL_OF.get(compute, compute)]
        else:
            result = kind
        suffix = compute[3:].lower()
        body = [f"static void {entry.c_name}_{suffix}(void *const *a, int64_t count, const void *parameters) {{\n"]
        if scalars:
            body.append("  const Scalar *p = parameters;\n")
        else:
            body.append("  (void)parameters;\n")
        body.append(f"  {result} *restrict result = a[0];\n")
        loads = []
        expression = expression_for(entry, compute)
        for i, t in enumerate(tensors):
            if not re.search(rf"\b{t.name}\b", expression):
                continue
            of = "uint8_t" if entry.promote == "where" and i == 0 else kind
            body.append(f"  const {of} *restrict {t.name}_ = a[{i + 1}];\n")
            loads.append(f"    const {of} {t.name} = {t.name}_[i];\n")
        for i, s in enumerate(scalars):
            body.append(scalar_parameter(s.type, compute, i, s.name))
        if block := block_call(entry, compute, [t.name for t in tensors]):
            out.append("".join([*body, f"  {block}(result, {', '.join(f'{t.name}_' for t in tensors)}, count);\n}}\n\n"]))
            table.append(f"[{compute}] = {entry.c_name}_{suffix}")
            continue
        body.append("  count &= ~(int64_t)3;\n")
        if compute not in ("CT_F32", "CT_I32", "CT_BOOL") and "pwt_" in expression:
            body.append("  PWT_SCALAR_LOOP\n")
        body.append("  for (int64_t i = 0; i < count; i++) {\n")
        body += loads
        body.append(f"    result[i] = {expression};\n  }}\n}}\n\n")
        out.append("".join(body))
        table.append(f"[{compute}] = {entry.c_name}_{suffix}")
    mask = sum(1 << ALL_DTYPES.index(d) for d in entry.types)
    out.append(
        f"static const Pointwise {entry.c_name}_op = {{\n"
        f'    .name = "{entry.schema.name}", .inputs = {len(tensors)}, .scalars = {len(scalars)}, .promotion = {PROMOTIONS[entry.promote]}, .dtypes = 0x{mask:x},\n'
        f"    .loops = {{{', '.join(table)}}},\n}};\n\n"
    )
    return "".join(out)


# ---- gradient nodes ----
class Gradient:
    """The node of one operator: what it saves, and its backward function."""

    def __init__(self, entry: Entry, by_name: dict[str, Entry]):
        self.entry = entry
        self.groups: list[tuple[list[str], str, str]] = []
        formula = Formula(entry, by_name, gradient=True)
        for key, text in entry.grad.items():
            code, kind = formula.translate(text)
            targets = [n.strip() for n in key.split(",")]
            if len(targets) > 1 and kind != f"Tensors{len(targets)}" and kind != "TensorList":
                raise entry.fail(f"the gradient of '{key}' gives one {kind}, not {len(targets)} tensors")
            if len(targets) == 1 and kind not in ("Tensor", "Tensor[]", "none"):
                raise entry.fail(f"the gradient of '{key}' is a {kind}")
            self.groups.append((targets, code, kind))
        self.saves = formula.saves
        order = [a.name for a in entry.schema.arguments]
        self.inputs = sorted({n for targets, _, _ in self.groups for n in targets}, key=order.index)
        self.arguments = {a.name: a for a in entry.schema.arguments}
        self.list_input = next((n for n in self.inputs if self.arguments[n].is_tensor_list), None)
        self.used_by = {name: self._users(entry, by_name, name) for name in self.saves.tensors}
        self.outputs_used_by = {i: self._users(entry, by_name, i) for i in self.saves.outputs}

    def _users(self, entry: Entry, by_name: dict[str, Entry], what: object) -> list[str]:
        """The inputs whose gradient reads this tensor: it is saved only where one of them is wanted."""
        users = []
        for key, text in entry.grad.items():
            one = Formula(entry, by_name, gradient=True)
            one.translate(text)
            if what in (one.saves.outputs if isinstance(what, int) else one.saves.tensors):
                users += [n.strip() for n in key.split(",")]
        return users

    @property
    def struct(self) -> str:
        return "".join(w.capitalize() for w in self.entry.c_name.strip("_").split("_")) + ("Node" if not self.entry.c_name.startswith("_") else "InternalNode")

    def edge_index(self, name: str) -> str:
        """Edges stand in the order of the inputs; a list of tensors comes last."""
        singles = [n for n in self.inputs if n != self.list_input]
        return str(singles.index(name)) if name in singles else str(len(singles))

    def code(self) -> str:
        e, s, out = self.entry, self.saves, []
        fields = ["  Node node;"]
        fields += [f"  {C_TYPES[self.arguments[v].type]}{v};" if not self.arguments[v].type.startswith("int[]") else f"  Sizes {v};" for v in s.values]
        fields += [f"  Sizes {t}_sizes;" for t in s.sizes]
        fields += [f"  Sizes {t}_strides;" for t in s.strides]
        fields += [f"  int64_t {t}_offset;" for t in s.offsets]
        fields += [f"  DType {t}_dtype;" for t in s.dtypes]
        out.append("typedef struct {\n" + "\n".join(fields) + f"\n}} {self.struct};\n\n")
        out.append(f"static void {e.c_name}_backward(Node *base, Tensor **grads, Tensor **wants) {{\n")
        out.append(f"  {self.struct} *node = ({self.struct} *)base;\n  (void)node, (void)grads;\n")
        slot = 0
        for t in s.tensors:
            out.append(f"  Tensor *{t} = pwt_unpack(base, {slot});\n")
            slot += 1
        for i in s.outputs:
            out.append(f"  Tensor *result{i} = pwt_unpack(base, {slot});\n")
            slot += 1
        for t in s.shapes:
            out.append(f"  TensorList {t}_shapes = pwt_unpack_list(base, {slot});\n")
        for t in s.lists:
            out.append(f"  TensorList {t} = pwt_unpack_list(base, {slot});\n")
        for v in s.values:
            kind = self.arguments[v].type
            out.append(f"  IntList {v} = pwt_list_of(&node->{v});\n" if kind.startswith("int[]") else f"  {C_TYPES[kind]}{v} = node->{v};\n")
        for t in s.sizes:
            out.append(f"  IntList {t}_sizes = pwt_list_of(&node->{t}_sizes);\n")
        for t in s.strides:
            out.append(f"  IntList {t}_strides = pwt_list_of(&node->{t}_strides);\n")
        for t in s.offsets:
            out.append(f"  int64_t {t}_offset = node->{t}_offset;\n")
        for t in s.dtypes:
            out.append(f"  DType {t}_dtype = node->{t}_dtype;\n")
        if any("wanted" in code for _, code, _ in self.groups):
            out.append("  int64_t wanted = pwt_wanted(base);\n")
        out.append("  if (pwt_failed()) return;\n")
        for targets, code, kind in self.groups:
            if len(targets) == 1 and kind in ("Tensor", "none"):
                i = self.edge_index(targets[0])
                out.append(f"  if (base->edges[{i}].fn) wants[{i}] = {code};\n")
            elif len(targets) == 1:
                i = self.edge_index(targets[0])
                out.append(f"  pwt_fill_gradients(base, wants, {i}, {code});\n")
            else:
                test = " || ".join(f"base->edges[{self.edge_index(t)}].fn" for t in targets)
                out.append(f"  if ({test}) {{\n    Tensors{len(targets)} all = {code};\n")
                out += [f"    wants[{self.edge_index(t)}] = all.r[{i}];\n" for i, t in enumerate(targets)]
                out.append("  }\n")
        out.append("}\n\n")
        keeps = ", .keeps_undefined = true" if len(e.schema.returns) > 1 or e.schema.returns[0][0] == "Tensor[]" else ""
        out.append(f'static const NodeKind {e.c_name}_node = {{.name = "{e.node_name}", .backward = {e.c_name}_backward{keeps}}};\n\n')
        return "".join(out)

    def wanted_test(self) -> str:
        parts = []
        for n in self.inputs:
            a = self.arguments[n]
            parts.append(f"pwt_any_requires_grad({n})" if a.is_tensor_list else f"pwt_requires_grad({n})")
        return " || ".join(parts)

    def prepare(self) -> str:
        """C that makes the node before the operator runs: edges and inputs are those of before an in-place change."""
        e, s = self.entry, self.saves
        singles = [n for n in self.inputs if n != self.list_input]
        edges = str(len(singles)) + (f" + (int){self.list_input}.count" if self.list_input else "")
        saved = str(len(s.tensors) + len(s.outputs)) + "".join(f" + (int){t}.count" for t in [*s.lists, *s.shapes])
        fail = failure_value(e)
        out = [f"  {self.struct} *node = NULL;\n  if (records) {{\n"]
        out.append(f"    node = ({self.struct} *)pwt_node_new(&{e.c_name}_node, sizeof *node, {edges}, {saved});\n")
        if e.node_other:
            out.append(f"    if (node && ({e.node_other_if})) node->node.name = \"{e.node_other}\";\n")
        out.append(f"    if (!node) return {fail};\n    Node *base = &node->node;\n")
        for i, n in enumerate(singles):
            out.append(f"    pwt_set_edge(base, {i}, {n});\n")
        if self.list_input:
            out.append(f"    for (int i = 0; i < {self.list_input}.count; i++) pwt_set_edge(base, {len(singles)} + i, {self.list_input}.items[i]);\n")
        for slot, t in enumerate(s.tensors):
            out.append(f"    {self._save_test(self.used_by[t])}{self._save(slot, t)}\n")
        slot = len(s.tensors) + len(s.outputs)
        for t in s.shapes:
            out.append(f"    for (int i = 0; i < {t}.count; i++) pwt_save_shape(base, {slot} + i, {t}.items[i]);\n")
        for t in s.lists:
            out.append(f"    for (int i = 0; i < {t}.count; i++) pwt_save(base, {slot} + i, {t}.items[i]);\n")
        for v in s.values:
            kind = self.arguments[v].type
            kept = f"pwt_intern({v})" if kind.startswith("str") else v
            out.append(f"    pwt_keep_list(&node->{v}, {v});\n" if kind.startswith("int[]") else f"    node->{v} = {kept};\n")
        for t in s.sizes:
            out.append(f"    pwt_keep_list(&node->{t}_sizes, pwt_sizes_of({t}));\n")
        for t in s.strides:
            out.append(f"    pwt_keep_list(&node->{t}_strides, pwt_strides_of({t}));\n")
        for t in s.offsets:
            out.append(f"    node->{t}_offset = pwt_offset_of({t});\n")
        for t in s.dtypes:
            out.append(f"    node->{t}_dtype = pwt_dtype_of({t});\n")
        out.append(f"    if (!pwt_node_ready(base)) return {fail};\n  }}\n")
        return "".join(out)

    def _save(self, slot: int, name: str) -> str:
        clone = name == "self" and self.entry.has_inplace
        return f"pwt_save(base, {slot}, {'form == FORM_INPLACE ? pwt_clone(self, -1) : self' if clone else name});"

    def finish(self, results: str, count: str) -> str:
        """C that makes the results the node's outputs."""
        out = ["  if (node) {\n    Node *base = &node->node;\n"]
        for slot, i in enumerate(self.saves.outputs, len(self.saves.tensors)):
            out.append(f"    {self._save_test(self.outputs_used_by[i])}pwt_save_output(base, {slot}, {results}[{i}], {i});\n")
        if count != "1":
            out.append(f"    pwt_set_history({results}, {count}, base);\n  }}\n")
        elif self.entry.has_inplace:
            out.append("    if (form == FORM_INPLACE) pwt_rebase_history(result, base);\n    else pwt_set_history1(result, base);\n  }\n")
        else:
            out.append("    pwt_set_history1(result, base);\n  }\n")
        return "".join(out)

    def _save_test(self, users: list[str]) -> str:
        if not users or set(users) >= set(self.inputs) or self.list_input in users:
            return ""
        return f"if ({' || '.join(f'base->edges[{self.edge_index(u)}].fn' for u in users)}) "


# ---- operators ----
def null_test(entry: Entry) -> str:
    tests = []
    for a in entry.schema.arguments:
        if a.type == "Tensor":
            tests.append(f"!{a.name}")
    tests.append("pwt_failed()")
    return " || ".join(tests)


def refusal(entry: Entry) -> str:
    """The end of a call on meta where the result depends on values."""
    return "" if entry.meta else f'  if (pwt_on_meta) {{\n    pwt_no_meta("{entry.schema.name}");\n    return {failure_value(entry)};\n  }}\n'


def autocast(entry: Entry) -> str:
    """Converts the inputs where autocast is on."""
    if not entry.autocast:
        return ""
    how = f"AUTOCAST_{entry.autocast.upper()}"
    lines = []
    for a in entry.schema.arguments:
        if a.is_tensor_list:
            lines.append(f"    {a.name} = pwt_autocast_list({a.name}, {how});\n")
        elif a.is_tensor:
            lines.append(f"    {a.name} = pwt_autocast({a.name}, {how});\n")
    new = " && form == FORM_NEW" if has_target(entry) and entry.body != "composite" else ""  # out= and in-place forms keep their dtypes
    return f"  if (pwt_autocast_type != PWT_AUTOCAST_OFF{new}) {{\n{''.join(lines)}  }}\n"


def operator(entry: Entry, gradient: Gradient | None, by_name: dict[str, Entry]) -> str:
    if entry.body == "composite":
        return composite(entry, by_name)
    if entry.body == "foreach":
        return c_foreach.functions(entry, by_name)
    plain = f"{return_type(entry)}pwt_{entry.c_name}({parameters(entry)})"
    fail = failure_value(entry)
    out = []
    if has_target(entry):
        out.append(f"{plain} {{ return pwt_{entry.c_name}_form({names(entry)}, NULL, FORM_NEW); }}\n\n")
        out.append(f"Tensor *pwt_{entry.c_name}_form({parameters(entry, True)}) {{\n")
    else:
        out.append(f"{plain} {{\n")
    out.append(autocast(entry))
    out.append(f"  if ({null_test(entry)}) return {fail};\n{refusal(entry)}")
    if entry.check:
        out.append(f"  if (!{entry.check}) return {fail};\n")
    if has_target(entry):
        wants = f"({gradient.wanted_test()})" if gradient else "false"
        if entry.promote == "compare":  # a new result is bool; only what is written in place has a history
            wants = f"form == FORM_INPLACE && {wants}"
        out.append(f'  bool records = pwt_grad_enabled && {wants};\n  if (form != FORM_NEW && !pwt_check_target(out, form, records, "{entry.schema.name}")) return NULL;\n')
    elif gradient:
        out.append(f"  bool records = pwt_grad_enabled && ({gradient.wanted_test()});\n")
    if gradient:
        out.append(gradient.prepare())
    out.append(forward(entry))
    if gradient:
        out.append(recording(entry, gradient))
    if entry.body == "view":
        multi = entry.schema.returns[0][0] == "Tensor[]"
        if multi:
            out.append("  for (int64_t i = 0; i < result.count; i++) pwt_mark_view(result.items[i], self, true);\n")
        else:
            out.append("  if (result) pwt_mark_view(result, self, false);\n")
    out.append("  return result;\n}\n\n")
    return "".join(out)


def forward(entry: Entry) -> str:
    if entry.body == "pointwise":
        tensors = [a.name for a in entry.schema.arguments if a.is_tensor]
        scalars = [a for a in entry.schema.arguments if not a.is_tensor]
        out = [f"  Tensor *inputs[] = {{{', '.join(tensors)}}};\n"]
        values = ", ".join(s.name if s.type == "Scalar" else f"pwt_scalar_{'float' if s.type == 'float' else 'int'}({s.name})" for s in scalars)
        parameter = "NULL"
        if scalars:
            out.append(f"  Scalar parameters[] = {{{values}}};\n")
            parameter = "parameters"
        if has_target(entry):
            out.append(
                f"  Tensor *result = form == FORM_NEW ? pwt_pointwise(&{entry.c_name}_op, inputs, {parameter})\n"
                f"                                    : pwt_pointwise_into(&{entry.c_name}_op, inputs, {parameter}, out, form == FORM_OUT);\n"
            )
        else:
            out.append(f"  Tensor *result = pwt_pointwise(&{entry.c_name}_op, inputs, {parameter});\n")
        return "".join(out)
    call = f"pwt_kernel_{entry.c_name}({names(entry)})"
    if has_target(entry):
        return f"  Tensor *result = {call};\n  if (form != FORM_NEW) result = pwt_write_target(out, result, form);\n"
    return f"  {return_type(entry)}result = {call};\n"


def recording(entry: Entry, gradient: Gradient) -> str:
    returns = entry.schema.returns
    if len(returns) > 1:
        return gradient.finish("result.r", str(len(returns)))
    if returns[0][0] == "Tensor[]":
        return gradient.finish("result.items", "(int)result.count")
    return gradient.finish("(&result)", "1")


def composite(entry: Entry, by_name: dict[str, Entry]) -> str:
    fail = failure_value(entry)
    if str(entry.source).endswith(".c"):
        call = f"pwt_kernel_{entry.c_name}({names(entry)})"
    else:
        call, kind = Formula(entry, by_name, gradient=False).translate(str(entry.source))
        if len(entry.schema.returns) == 1 and kind != entry.schema.returns[0][0]:
            call = Formula(entry, by_name, gradient=False).coerce(call, kind, entry.schema.returns[0][0])
    plain = f"{return_type(entry)}pwt_{entry.c_name}({parameters(entry)})"
    of_out = ", out)" in entry.check  # what the target must be is asked before the result is computed, in the form that has one
    check = f"  if (!{entry.check.replace(', out)', ', NULL)')}) return {fail};\n" if entry.check else ""
    if entry.node:  # torch has one node here; the last one of ours is shown under its name
        call = f"pwt_name_node({call}, \"{entry.node_name}\")"
    out = [f"{plain} {{\n{autocast(entry)}  if ({null_test(entry)}) return {fail};\n{refusal(entry)}{check}  return {call};\n}}\n\n"]
    if has_target(entry):
        first = entry.schema.arguments[0].name
        wanted = [f"pwt_any_requires_grad({a.name})" if a.is_tensor_list else f"pwt_requires_grad({a.name})" for a in entry.schema.arguments if a.is_tensor or a.is_tensor_list]
        out.append(
            f"Tensor *pwt_{entry.c_name}_form({parameters(entry, True)}) {{\n  if ({null_test(entry)}) return {fail};\n"
            f"  bool records = pwt_grad_enabled && ({' || '.join(wanted) or 'false'});\n"
            f'  if (form != FORM_NEW && !pwt_check_target(out, form, records, "{entry.schema.name}")) return NULL;\n'
            + (f"  if (!{entry.check}) return {fail};\n" if of_out else "")
            + (f"  if (form == FORM_INPLACE && records) {first} = pwt_clone({first}, -1); /* its values are needed after they changed */\n" if entry.has_inplace else "")
            + f"  Tensor *result = pwt_{entry.c_name}({names(entry)});\n"
            f"  return form == FORM_NEW ? result : form == FORM_OUT ? pwt_write_out(out, result) : pwt_assign(out, result);\n}}\n\n"
        )
    return "".join(out)


def sources(entries: list[Entry]) -> dict[str, str]:
    by_name = {e.c_name: e for e in entries}
    for e in entries:  # an overload answers for its base name where that has none of its own
        by_name.setdefault(e.schema.name, e)
    families: dict[str, list[Entry]] = defaultdict(list)
    for e in entries:
        families[e.family].append(e)
    files = {"ops.h": header(entries)}
    for family, members in families.items():
        out = [BANNER.format(source=f"{family}.yaml"), '#include "ops.h"\n\n#include "autograd.h"\n#include "iterator.h"\n#include "math.h"\n\n']
        for e in members:
            out.append(f"/* ---- {e.schema.text} ---- */\n")
            gradient = Gradient(e, by_name) if e.grad and e.body != "composite" else None
            if e.body == "pointwise":
                out.append(pointwise_loops(e))
            if gradient:
                out.append(gradient.code())
            out.append(operator(e, gradient, by_name))
        files[f"ops_{family}.c"] = "".join(out)
    return files
