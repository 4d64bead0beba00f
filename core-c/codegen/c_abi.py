"""Writes ``abi_calls.c``: for each operator, reading its arguments from the frame and writing its results back."""

from __future__ import annotations

from .c_ops import BANNER, has_target
from .formulas import default_code
from .schema import Argument
from .tables import Entry

READERS = {
    "Tensor": "pwt_read_tensor(f)", "Tensor?": "pwt_read_optional_tensor(f)", "Tensor[]": "pwt_read_tensors(f, false)",
    "Tensor[]?": "pwt_read_tensors(f, false)", "Tensor?[]": "pwt_read_tensors(f, true)", "int": "pwt_read_int(f)",
    "int?": "pwt_read_optional_int(f)", "float": "pwt_read_float(f)", "float?": "pwt_read_optional_float(f)", "bool": "pwt_read_int(f) != 0",
    "bool?": "pwt_read_optional_int(f)", "int[]": "pwt_read_ints(f)", "int[]?": "pwt_read_ints(f)", "float[]": "pwt_read_floats(f)",
    "float[]?": "pwt_read_floats(f)", "Scalar": "pwt_read_scalar(f)", "Scalar?": "pwt_read_scalar(f)", "Scalar[]": "pwt_read_scalars(f)", "ScalarType": "pwt_read_dtype(f)",
    "ScalarType?": "pwt_read_dtype(f)", "str": "pwt_read_text(f)", "str?": "pwt_read_text(f)", "Generator?": "pwt_read_generator(f)",
}
C_LOCAL = {
    "Tensor": "Tensor *", "Tensor?": "Tensor *", "Tensor[]": "TensorList ", "Tensor[]?": "TensorList ", "Tensor?[]": "TensorList ",
    "int": "int64_t ", "int?": "OptInt ", "float": "double ", "float?": "OptFloat ", "bool": "bool ", "bool?": "OptInt ", "int[]": "IntList ",
    "int[]?": "IntList ", "float[]": "FloatList ", "float[]?": "FloatList ", "Scalar": "Scalar ", "Scalar?": "Scalar ", "Scalar[]": "ScalarList ", "ScalarType": "DType ",
    "ScalarType?": "DType ", "str": "const char *", "str?": "const char *", "Generator?": "Tensor *",
}
WRITERS = {"Tensor": "pwt_write_tensor", "Tensor[]": "pwt_write_tensors", "int": "pwt_write_int", "float": "pwt_write_float",
           "bool": "pwt_write_int", "Scalar": "pwt_write_scalar", "ScalarType": "pwt_write_int"}


def _reader(e: Entry, a: Argument) -> str:
    if a.name in e.numbers:
        return "pwt_read_tensor_or_number(f)"
    if a.name == "index" and a.is_tensor:
        return "pwt_read_index(f)"
    if a.name == "indices" and (a.is_tensor or a.type == "Tensor?[]"):
        return "pwt_read_index(f)" if a.is_tensor else "pwt_read_indices(f)"
    return READERS[a.type]


def _caller(e: Entry) -> str:
    out = [f"static int32_t call_{e.c_name}(Frame *f) {{\n"]
    if e.mixes_devices:
        out.append("  f->mixes = true;\n")
    if has_target(e) and e.body != "foreach":
        out.append("  Tensor *out = f->form == FORM_OUT ? pwt_read_tensor(f) : NULL;\n")
    required = True
    for i, a in enumerate(e.schema.arguments):
        required = required and not a.has_default
        reader = _reader(e, a)
        if required:
            out.append(f"  {C_LOCAL[a.type]}{a.name} = {reader};\n")
        else:
            default = default_code(a) if a.has_default else "{0}"
            out.append(f"  {C_LOCAL[a.type]}{a.name} = f->given > {i} ? {reader} : {default};\n")
    names = ", ".join(a.name for a in e.schema.arguments)
    returns = e.schema.returns
    if e.body == "foreach":
        if e.has_inplace:
            out.append(f"  if (f->form == FORM_INPLACE) return pwt_{e.c_name}_({names});\n")
        if e.forms != ["inplace"]:
            out.append(f"  return pwt_write_tensors(f, pwt_{e.c_name}({names}));\n")
        else:
            out.append("  return 0;\n")
        out.append("}\n\n")
    elif has_target(e):
        if e.has_inplace:
            out.append(f"  if (f->form == FORM_INPLACE) out = {e.schema.arguments[0].name};\n")
        out.append(f"  return pwt_write_tensor(f, pwt_{e.c_name}_form({names}, out, f->form));\n}}\n\n")
    elif len(returns) > 1:
        out.append(f"  Tensors{len(returns)} all = pwt_{e.c_name}({names});\n  return pwt_write_many(f, all.r, {len(returns)});\n}}\n\n")
    else:
        out.append(f"  return {WRITERS[returns[0][0]]}(f, pwt_{e.c_name}({names}));\n}}\n\n")
    return "".join(out)


def calls(entries: list[Entry]) -> str:
    out = [BANNER.format(source=""), '#include "frame.h"\n#include "ops.h"\n\n']
    out += [_caller(e) for e in entries]
    out.append(f"const int32_t pwt_call_count = {len(entries)};\nconst Caller pwt_calls[] = {{\n")
    out += [f"  call_{e.c_name},\n" for e in entries]
    out.append("};\nconst uint8_t pwt_stored_dtypes[] = {" + ", ".join(str(e.stored_dtypes) for e in entries) + "};\n")
    out.append("const char *const pwt_call_names[] = {\n" + "".join(f'  "{e.schema.name.lstrip("_")}",\n' for e in entries) + "};\n")
    return "".join(out)
