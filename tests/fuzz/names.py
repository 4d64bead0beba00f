"""The public names that both packages have, and what PyTorch says of their arguments."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any

SPACES = {"T": "", "T.Tensor": "Tensor", "T.nn.functional": "nn.functional", "T.linalg": "linalg", "T.fft": "fft", "T.special": "special"}

#: Not called: they change the process, read and write files, or answer for this machine.
EXCLUDED = re.compile(
    r"T\.(set_|get_|is_autocast|is_anomaly|is_inference_mode|is_grad|is_warn|is_determin|are_determ|autocast|clear_autocast|use_determin|save$|load$|seed$|initial_seed|manual_seed"
    r"|compile|vmap$|cond$|while_loop|fork|wait|import_ir|parse_|merge_type|fix_weakref|unify_type|read_vitals|set_vital|vitals|get_file|from_file|is_vulkan|sym_|typename|lobpcg"
    r"|init_num|prepare_multi|_|dsplit_|classproperty|to_dlpack|from_dlpack|from_numpy|frombuffer|asarray|as_tensor|tensor$|quantize|dequantize|fbgemm|mkldnn|cudnn|miopen|can_cast$|nested"
    r"|batch_norm_(?!$)|pca_lowrank|svd_lowrank|autocast_|are_|utils_)|"
    r"T\.Tensor\.(data_ptr|const_data_ptr|share_memory_|is_shared|storage|untyped_storage|typed_storage|register_|apply_|map_|map2_|module_load|as_subclass|backward|retain_grad|numpy|cuda|xpu|ipu"
    r"|mtia|hpu|to_mkldnn|to_sparse|new$|new_tensor$|pin_memory|is_pinned|reinforce|record_stream|set_$|resize_|type$|dim_order|grad_fn|storage_type|rename|align|refine|get_device|untyped"
    r"|sparse|coalesce|dequantize|q_|int_repr|qscheme|dlpack|volatile|shared|name$|names$|imag$|is_sparse|is_mkldnn|is_quant|itemsize|element_size|nbytes|__dlpack|_)|"
    r"T\.nn\.functional\.(multi_head_attention_forward|has_torch|handle_torch|boolean_dispatch|assert_int|_|linear_cross|triplet_margin_with_distance|gumbel_softmax)|"
    r"T\.(is_storage|is_tensor|import|get|obj|unravel_index|Generator|Stream|Event|set|from_|to_|sparse|spmm|hspmm|smm|dsmm|saddmm|native_channel|pin)"
)  # fmt: skip
#: What is in such a tensor is left open.
UNDEFINED = re.compile(r"(^|\.)(empty\w*|new_empty\w*|resize_as_)$")


@dataclass
class Argument:
    name: str
    type: str
    default: Any = inspect.Parameter.empty
    keyword: bool = False
    size: int | None = None

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty


@dataclass
class Signature:
    arguments: list[Argument]
    outs: int = 0  # how many tensors ``out=`` takes


def found(lib: Any, path: str) -> Any:
    for part in path.split(".")[1:]:
        lib = getattr(lib, part)
    return lib


def public_names(ours: Any, theirs: Any) -> list[str]:
    names = []
    for prefix in SPACES:
        mine, other = found(ours, prefix), found(theirs, prefix)
        for name in sorted(set(dir(mine)) & set(dir(other))):
            path = f"{prefix}.{name}"
            if name.startswith("_") or EXCLUDED.match(path):
                continue
            value = getattr(other, name)
            if inspect.isclass(value) or inspect.ismodule(value):
                continue
            if callable(value) or prefix == "T.Tensor":
                names.append(path)
    return names


def signatures(torch: Any, path: str) -> list[Signature]:
    """Every way of calling it that PyTorch states, in its own order."""
    prefix, name = path.rsplit(".", 1)
    value = found(torch, path)
    found_here: list[Signature] = []
    spelled = {"T.linalg": f"linalg_{name}", "T.fft": f"fft_{name}", "T.special": f"special_{name}"}.get(prefix, name)
    packet = getattr(torch.ops.aten, spelled, None) if prefix != "T.nn.functional" or not inspect.isfunction(value) else None
    if packet is not None and hasattr(packet, "overloads"):
        schemas = [getattr(packet, overload)._schema for overload in packet.overloads()]
        outs = max((sum(argument.is_out for argument in schema.arguments) for schema in schemas), default=0)
        for schema in schemas:
            if not any(argument.is_out for argument in schema.arguments) and of_tensors(schema, prefix):
                found_here.append(Signature([argument_of(argument) for argument in schema.arguments if not argument.is_out], outs))
    if not found_here:
        try:
            parameters = inspect.signature(value).parameters.values()
        except (TypeError, ValueError):
            return [Signature([Argument("self", "Tensor")] if prefix == "T.Tensor" else [Argument("input", "Tensor")])]
        found_here.append(Signature([parameter_of(p) for p in parameters if p.kind is not p.VAR_KEYWORD]))
    return found_here


def of_tensors(schema: Any, prefix: str) -> bool:
    types = [str(argument.type) for argument in schema.arguments]
    if any(re.search(r"\bt\b|Any|Storage|Stream|Future|Dict|classes|AnyEnum|List\[str\]", text) for text in types):
        return False
    if prefix == "T.Tensor":
        return bool(types) and types[0] == "Tensor"
    if any("Tensor" in text for text in types):
        return True
    return any("Tensor" in str(r.type) for r in schema.returns)


def argument_of(argument: Any) -> Argument:
    text, name = str(argument.type), argument.name
    kinds = {"dtype": "ScalarType", "layout": "Layout", "memory_format": "MemoryFormat", "out_dtype": "ScalarType", "output_dtype": "ScalarType"}
    if "int" in text and name in kinds:
        text = text.replace("int", kinds[name])
    default = argument.default_value if argument.has_default_value() else inspect.Parameter.empty
    return Argument(name, text, default, argument.kwarg_only, argument.N)


BY_NAME = {
    "dim": "int", "dims": "List[int]", "axis": "int", "keepdim": "bool", "p": "number", "ord": "number", "size": "List[int]", "kernel_size": "List[int]", "stride": "List[int]",
    "padding": "List[int]", "dilation": "List[int]", "inplace": "bool", "training": "bool", "reduction": "str", "mode": "str", "eps": "float", "dtype": "ScalarType", "shape": "List[int]",
    "tensors": "List[Tensor]", "descending": "bool", "sorted": "bool", "return_inverse": "bool", "return_counts": "bool", "output_size": "List[int]", "split_size_or_sections": "int",
}  # fmt: skip


def parameter_of(parameter: inspect.Parameter) -> Argument:
    note = str(parameter.annotation)
    text = BY_NAME.get(parameter.name, "")
    if not text:
        for pattern, kind in (("list.*Tensor", "List[Tensor]"), ("Tensor", "Tensor"), (r"list\[float\]", "List[float]"), (r"list|BroadcastingList|Size", "List[int]"),
                              ("bool", "bool"), (r"\bint\b", "int"), ("float|Number", "float"), ("str", "str"), ("dtype", "ScalarType")):  # fmt: skip
            if re.search(pattern, note, re.IGNORECASE if pattern.startswith("list") else 0):
                text = kind
                break
    if parameter.kind is parameter.VAR_POSITIONAL:
        text = "*Tensor" if parameter.name not in ("size", "dims", "sizes") else "*int"
    return Argument(parameter.name, text or "Tensor", parameter.default, parameter.kind is parameter.KEYWORD_ONLY)
