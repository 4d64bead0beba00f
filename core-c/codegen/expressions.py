"""Pointwise expressions (Python syntax) to C, for one compute type at a time."""

from __future__ import annotations

import ast

from .tables import Entry

SUFFIX = {"CT_BOOL": "bool", "CT_I32": "i32", "CT_I64": "i64", "CT_F32": "f32", "CT_F64": "f64", "CT_C64": "c64", "CT_C128": "c128"}
C_TYPE = {
    "CT_BOOL": "uint8_t", "CT_I32": "int32_t", "CT_I64": "int64_t", "CT_F32": "float", "CT_F64": "double",
    "CT_C64": "complex64", "CT_C128": "complex128",
}
REAL_OF = {"CT_C64": "CT_F32", "CT_C128": "CT_F64"}
CLASS_OF = {"CT_BOOL": "bool", "CT_I32": "int", "CT_I64": "int", "CT_F32": "float", "CT_F64": "float", "CT_C64": "complex", "CT_C128": "complex"}
BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
CALLED = {ast.Pow: "pow", ast.FloorDiv: "floor_divide", ast.Mod: "remainder"}
BUILTINS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint", "copysign": "copysign"}
CONSTANTS = {"inf": "__builtin_inf()", "nan": '__builtin_nan("")', "pi": "3.141592653589793", "e": "2.718281828459045"}


class _Emitter(ast.NodeVisitor):
    def __init__(self, entry: Entry, compute: str):
        self.entry, self.compute = entry, compute
        self.real = compute in ("CT_F32", "CT_F64")
        self.names = {a.name for a in entry.schema.arguments}

    def number(self, value: float | int | bool) -> str:
        if self.compute in ("CT_F32", "CT_C64"):
            return f"{float(value)!r}f"
        if self.compute in ("CT_F64", "CT_C128"):
            return repr(float(value))
        return f"(int64_t){int(value)}" if self.compute == "CT_I64" else str(int(value))

    def visit_Constant(self, node: ast.Constant) -> str:
        return self.number(node.value)

    def visit_Name(self, node: ast.Name) -> str:
        if node.id in self.names:
            return node.id
        if node.id in CONSTANTS:
            return f"({C_TYPE[self.compute]}){CONSTANTS[node.id]}"
        raise self.entry.fail(f"the expression names '{node.id}', which is no argument")

    def visit_BinOp(self, node: ast.BinOp) -> str:
        left, right = self.visit(node.left), self.visit(node.right)
        if type(node.op) in CALLED:
            return f"pwt_{CALLED[type(node.op)]}_{SUFFIX[self.compute]}({left}, {right})"
        if self.compute in REAL_OF and isinstance(node.op, (ast.Mult, ast.Div)):
            return f"pwt_{'mul' if isinstance(node.op, ast.Mult) else 'div'}_{SUFFIX[self.compute]}({left}, {right})"
        return f"({left} {BINARY[type(node.op)]} {right})"

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        sign = {ast.USub: "-", ast.Not: "!", ast.Invert: "~", ast.UAdd: "+"}[type(node.op)]
        return f"({sign}{self.visit(node.operand)})"

    def visit_Compare(self, node: ast.Compare) -> str:
        if len(node.ops) != 1:
            raise self.entry.fail("chained comparisons are not understood")
        return f"({self.visit(node.left)} {COMPARE[type(node.ops[0])]} {self.visit(node.comparators[0])})"

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        return "(" + (" & " if isinstance(node.op, ast.And) else " | ").join(self.visit(v) for v in node.values) + ")"

    def visit_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.visit(node.test)} ? {self.visit(node.body)} : {self.visit(node.orelse)})"

    def visit_Call(self, node: ast.Call) -> str:
        name = node.func.id  # type: ignore[attr-defined]
        inside = [self.visit(a) for a in node.args]
        if name == "isnan":
            return f"({inside[0]} != {inside[0]})"
        if name == "where":
            return "({} ? {} : {})".format(*inside)
        if name in BUILTINS and self.real:
            return f"__builtin_{BUILTINS[name]}{'f' if self.compute == 'CT_F32' else ''}({', '.join(inside)})"
        return f"pwt_{name}_{SUFFIX[self.compute]}({', '.join(inside)})"

    def generic_visit(self, node: ast.AST) -> str:
        raise self.entry.fail(f"the expression holds {type(node).__name__}, which is not understood")


def expression_for(entry: Entry, compute: str) -> str:
    source = entry.source
    if isinstance(source, dict):
        kind = CLASS_OF[compute]
        source = source.get(kind, source.get("real" if kind != "complex" else "", source.get("else")))
        if source is None:
            raise entry.fail(f"no expression for {kind}")
    try:
        tree = ast.parse(str(source).strip(), mode="eval")
    except SyntaxError as error:
        raise entry.fail(f"the expression '{source}' cannot be read: {error.msg}") from None
    text = _Emitter(entry, compute).visit(tree.body)
    return text[1:-1] if text.startswith("(") and _balanced(text[1:-1]) else text


def _balanced(text: str) -> bool:
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0
