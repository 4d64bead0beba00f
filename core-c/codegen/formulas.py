"""Gradient formulas and composite expressions (Python syntax) to nested C calls of other operators."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .schema import Argument
from .tables import Entry

TENSOR_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.MatMult: "matmul"}
SCALAR_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
C_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%"}
COMPARE = {ast.Eq: ("eq", "=="), ast.NotEq: ("ne", "!="), ast.Lt: ("lt", "<"), ast.LtE: ("le", "<="), ast.Gt: ("gt", ">"), ast.GtE: ("ge", ">=")}
LITERALS = ("int-literal", "float-literal", "bool-literal", "none")


@dataclass
class Saves:
    """What a formula reads of the forward call."""

    tensors: list[str] = field(default_factory=list)  # argument names whose values are saved
    lists: list[str] = field(default_factory=list)  # Tensor[] arguments
    shapes: list[str] = field(default_factory=list)  # Tensor[] arguments of which only sizes and dtypes are read
    outputs: list[int] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)  # arguments of which only the sizes are saved
    strides: list[str] = field(default_factory=list)
    offsets: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)  # Scalars, ints, lists of ints, ...

    def add(self, kind: str, what: object) -> None:
        have = getattr(self, kind)
        if what not in have:
            have.append(what)


class Formula(ast.NodeVisitor):
    """Each visit returns (C code, type)."""

    def __init__(self, entry: Entry, by_name: dict[str, Entry], gradient: bool):
        self.entry, self.by_name, self.gradient = entry, by_name, gradient
        self.arguments = {a.name: a for a in entry.schema.arguments}
        self.outputs = len(entry.schema.returns)
        self.saves = Saves()

    def fail(self, message: str) -> Exception:
        return self.entry.fail(f"{'gradient' if self.gradient else 'composite'}: {message}")

    def translate(self, text: str) -> tuple[str, str]:
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except SyntaxError as error:
            raise self.fail(f"'{text}' cannot be read: {error.msg}") from None
        return self.visit(tree.body)

    # -- leaves
    def visit_Constant(self, node: ast.Constant):
        v = node.value
        if v is None:
            return "NULL", "none"
        if isinstance(v, bool):
            return ("true" if v else "false"), "bool-literal"
        if isinstance(v, str):
            return '"%s"' % v, "str"
        return repr(v), "float-literal" if isinstance(v, float) else "int-literal"

    def visit_Name(self, node: ast.Name):
        name = node.id
        if self.gradient and name == "grad" and "grad" not in self.arguments:
            return "grads[0]", "Tensor"
        if self.gradient and name == "grads":
            return "(TensorList){grads, base->output_count}", "Tensor[]"
        if self.gradient and name == "result":
            self.saves.add("outputs", 0)
            return "result0", "Tensor"
        if self.gradient and name == "wanted":
            return "wanted", "int"
        if name in self.arguments:
            argument = self.arguments[name]
            kind = argument.type
            if self.gradient:
                if argument.is_tensor:
                    self.saves.add("tensors", name)
                elif argument.is_tensor_list:
                    self.saves.add("lists", name)
                else:
                    self.saves.add("values", name)
            return name, {"Tensor?": "Tensor", "int[]?": "int[]", "Scalar?": "Scalar", "ScalarType?": "ScalarType",
                          "Tensor?[]": "Tensor[]", "Tensor[]?": "Tensor[]", "str?": "str", "float[]?": "float[]"}.get(kind, kind)
        if name in ("inf", "nan"):
            return ("__builtin_inf()" if name == "inf" else '__builtin_nan("")'), "float-literal"
        if name == "pi":
            return "3.141592653589793", "float-literal"
        raise self.fail(f"unknown name '{name}'")

    def visit_Subscript(self, node: ast.Subscript):
        if isinstance(node.value, ast.Name) and self.gradient and node.value.id in ("grads", "results"):
            index = ast.literal_eval(node.slice)
            if node.value.id == "grads":
                return f"grads[{index}]", "Tensor"
            self.saves.add("outputs", index)
            return f"result{index}", "Tensor"
        code, kind = self.visit(node.value)
        index_code, _ = self.visit(node.slice)
        if kind.startswith("Tensors"):
            return f"{code}.r[{index_code}]", "Tensor"
        if kind == "int[]":
            return f"pwt_list_item({code}, {index_code})", "int"
        raise self.fail(f"cannot index a {kind}")

    def visit_Attribute(self, node: ast.Attribute):
        attribute = node.attr
        if isinstance(node.value, ast.Name) and node.value.id in self.arguments and self.arguments[node.value.id].is_tensor and self.gradient:
            name = node.value.id
            if attribute in ("sizes", "shape"):
                self.saves.add("sizes", name)
                return f"{name}_sizes", "int[]"
            if attribute == "strides":
                self.saves.add("strides", name)
                return f"{name}_strides", "int[]"
            if attribute == "offset":
                self.saves.add("offsets", name)
                return f"{name}_offset", "int"
            if attribute == "ndim":
                self.saves.add("sizes", name)
                return f"{name}_sizes.count", "int"
            if attribute == "numel":
                self.saves.add("sizes", name)
                return f"pwt_product({name}_sizes.items, (int){name}_sizes.count)", "int"
            if attribute == "dtype":
                self.saves.add("dtypes", name)
                return f"{name}_dtype", "ScalarType"
        code, kind = self.visit(node.value)
        if kind != "Tensor":
            raise self.fail(f"a {kind} has no attribute '{attribute}'")
        if attribute in ("sizes", "shape"):
            return f"pwt_sizes_of({code})", "int[]"
        if attribute == "ndim":
            return f"pwt_ndim_of({code})", "int"
        if attribute == "numel":
            return f"pwt_numel_of({code})", "int"
        if attribute == "dtype":
            return f"pwt_dtype_of({code})", "ScalarType"
        if attribute in self.by_name:
            return self.call(self.by_name[attribute], [(code, kind)], {})
        raise self.fail(f"a tensor has no attribute '{attribute}' here")

    def visit_List(self, node: ast.List):
        items = [self.visit(e) for e in node.elts]
        if any(k == "Tensor" for _, k in items):
            return "(TensorList){(Tensor *[]){%s}, %d}" % (", ".join(c for c, _ in items), len(items)), "Tensor[]"
        inside = ", ".join(c for c, _ in items)
        return "(IntList){(const int64_t[]){%s}, %d}" % (inside or "0", len(items)), "int[]"

    visit_Tuple = visit_List

    # -- operators
    def visit_UnaryOp(self, node: ast.UnaryOp):
        code, kind = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return f"!{self.condition(code, kind)}", "bool"
        if isinstance(node.op, ast.Invert):
            return f"pwt_logical_not({self.coerce(code, kind, 'Tensor')})", "Tensor"
        if kind == "Tensor":
            return f"pwt_neg({code})", "Tensor"
        if kind == "Scalar":
            return f"pwt_scalar_neg({code})", "Scalar"
        return f"-{code}", kind

    def visit_BinOp(self, node: ast.BinOp):
        (a, a_kind), (b, b_kind) = self.visit(node.left), self.visit(node.right)
        op = type(node.op)
        if "Tensor" in (a_kind, b_kind):
            if op in (ast.BitAnd, ast.BitOr):
                name = "logical_and" if op is ast.BitAnd else "logical_or"
            elif op in TENSOR_BINARY:
                name = TENSOR_BINARY[op]
            else:
                raise self.fail(f"{op.__name__} of tensors is not understood")
            return self.call(self.by_name[name], [(a, a_kind), (b, b_kind)], {})
        if "Scalar" in (a_kind, b_kind):
            if op not in SCALAR_BINARY:
                raise self.fail(f"{op.__name__} of Scalars is not understood")
            return f"pwt_scalar_{SCALAR_BINARY[op]}({self.coerce(a, a_kind, 'Scalar')}, {self.coerce(b, b_kind, 'Scalar')})", "Scalar"
        if op is ast.Div:
            return f"((double)({a}) / (double)({b}))", "float"
        if op not in C_BINARY:
            raise self.fail(f"{op.__name__} of numbers is not understood")
        kind = "float" if "float" in a_kind + b_kind else "int"
        return f"({a} {C_BINARY[op]} {b})", kind

    def visit_Compare(self, node: ast.Compare):
        if len(node.ops) != 1:
            raise self.fail("chained comparisons are not understood")
        (a, a_kind), (b, b_kind) = self.visit(node.left), self.visit(node.comparators[0])
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            sign = "!" if isinstance(node.ops[0], ast.IsNot) else ""
            test = {"Scalar": f"({a}.kind == SCALAR_NONE)", "int[]": f"({a}.count < 0)"}.get(a_kind, f"({a} == NULL)")
            return sign + test, "bool"
        name, sign = COMPARE[type(node.ops[0])]
        if "Tensor" in (a_kind, b_kind):
            return self.call(self.by_name[name], [(a, a_kind), (b, b_kind)], {})
        if "str" in (a_kind, b_kind):
            return f"{'!' if name == 'ne' else ''}pwt_same_text({a}, {b})", "bool"
        if "Scalar" in (a_kind, b_kind):
            a, b = self.coerce(a, a_kind, "Scalar"), self.coerce(b, b_kind, "Scalar")
            if name in ("eq", "ne"):
                return f"{'!' if name == 'ne' else ''}pwt_scalar_equal({a}, {b})", "bool"
            return f"({a}.re {sign} {b}.re)", "bool"
        return f"({a} {sign} {b})", "bool"

    def visit_BoolOp(self, node: ast.BoolOp):
        parts = [self.condition(*self.visit(v)) for v in node.values]
        return "(" + (" && " if isinstance(node.op, ast.And) else " || ").join(parts) + ")", "bool"

    def visit_IfExp(self, node: ast.IfExp):
        test = self.condition(*self.visit(node.test))
        (a, a_kind), (b, b_kind) = self.visit(node.body), self.visit(node.orelse)
        if "Tensor" in (a_kind, b_kind):
            kind = "Tensor"
            a, b = self.coerce(a, a_kind, kind), self.coerce(b, b_kind, kind)
        else:
            kind = a_kind if a_kind not in LITERALS else b_kind
            if kind in ("Scalar",):
                a, b = self.coerce(a, a_kind, kind), self.coerce(b, b_kind, kind)
        return f"({test} ? {a} : {b})", kind

    def condition(self, code: str, kind: str) -> str:
        if kind == "Tensor":
            raise self.fail("a tensor cannot be a condition; use where()")
        return code

    # -- calls
    def visit_Call(self, node: ast.Call):
        arguments = [self.visit(a) for a in node.args]
        keywords = {k.arg: self.visit(k.value) for k in node.keywords}
        f = node.func
        if isinstance(f, ast.Name):
            if f.id == "shapes" and self.gradient:  # of a list of tensors only the sizes are kept
                name = node.args[0].id  # type: ignore[attr-defined]
                if name in self.saves.lists:
                    self.saves.lists.remove(name)
                self.saves.add("shapes", name)
                return f"{name}_shapes", "Tensor[]"
            if f.id == "len":
                return f"{arguments[0][0]}.count", "int"
            if f.id == "float":
                code, kind = arguments[0]
                return (f"{code}.re" if kind == "Scalar" else f"(double)({code})"), "float"
            if f.id not in self.by_name:
                raise self.fail(f"calls '{f.id}', which no table has")
            return self.call(self.by_name[f.id], arguments, keywords)
        if isinstance(f, ast.Attribute):
            if isinstance(f.value, ast.Name) and f.value.id not in self.arguments and f.value.id not in ("grad", "result"):
                name = f"{f.value.id}_{f.attr}"
                if name in self.by_name:
                    return self.call(self.by_name[name], arguments, keywords)
            target = self.visit(f.value)
            if f.attr not in self.by_name:
                raise self.fail(f"calls the method '{f.attr}', which no table has")
            return self.call(self.by_name[f.attr], [target, *arguments], keywords)
        raise self.fail("this kind of call is not understood")

    def call(self, callee: Entry, arguments: list[tuple[str, str]], keywords: dict[str, tuple[str, str]]):
        given = dict(zip((a.name for a in callee.schema.arguments), arguments))
        given.update(keywords)
        codes = []
        for a in callee.schema.arguments:
            if a.name in given:
                codes.append(self.coerce(*given.pop(a.name), a.type))
            elif a.has_default:
                codes.append(default_code(a))
            else:
                raise self.fail(f"the call of {callee.schema.full_name} lacks '{a.name}'")
        if given or len(arguments) > len(callee.schema.arguments):
            raise self.fail(f"the call of {callee.schema.full_name} has extra arguments {sorted(given)}")
        returns = callee.schema.returns
        kind = returns[0][0] if len(returns) == 1 else f"Tensors{len(returns)}"
        return f"pwt_{callee.c_name}({', '.join(codes)})", kind

    def coerce(self, code: str, kind: str, wanted: str) -> str:
        wanted = wanted.removesuffix("?") if wanted not in ("int?", "float?", "bool?") else wanted
        if wanted == "Tensor":
            if kind == "Tensor" or kind == "none":
                return code
            return f"pwt_from_scalar({self.coerce(code, kind, 'Scalar')})"
        if wanted == "Scalar":
            if kind == "none":
                return "pwt_scalar_none()"
            if kind in ("int-literal", "int"):
                return f"pwt_scalar_int({code})"
            if kind in ("float-literal", "float"):
                return f"pwt_scalar_float({code})"
            if kind in ("bool", "bool-literal"):
                return f"pwt_scalar_bool({code})"
            return code
        if wanted == "int[]" and kind == "none":
            return "(IntList){NULL, -1}"
        if wanted == "int[]" and kind in ("int", "int-literal"):
            return "(IntList){(const int64_t[]){%s}, 1}" % code
        if wanted in ("Tensor[]", "Tensor?[]") and kind == "none":
            return "(TensorList){NULL, -1}"
        if wanted == "ScalarType" and kind == "none":
            return "PWT_NO_DTYPE"
        if wanted in ("int?", "bool?") and kind == "none":
            return "(OptInt){false, 0}"
        if wanted in ("int?", "bool?") and kind not in ("int?", "bool?"):
            return "(OptInt){true, %s}" % code
        if wanted == "float?" and kind == "none":
            return "(OptFloat){false, 0}"
        if wanted == "float?" and kind != "float?":
            return "(OptFloat){true, %s}" % code
        if wanted == "float" and kind == "Scalar":
            return f"{code}.re"
        return code

    def generic_visit(self, node: ast.AST):
        raise self.fail(f"{type(node).__name__} is not understood")


def default_code(a: Argument) -> str:
    value, kind = a.default, a.type
    if kind in ("Tensor?", "Generator?"):
        return "NULL"
    if kind.startswith("Scalar") and not kind.startswith("ScalarType"):
        if value is None:
            return "pwt_scalar_none()"
        maker = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
        return f"pwt_scalar_{maker}({number_code(value)})"
    if kind.startswith("ScalarType"):
        return "PWT_NO_DTYPE"
    if kind in ("int?", "bool?"):
        return "(OptInt){false, 0}" if value is None else "(OptInt){true, %s}" % number_code(value)
    if kind == "float?":
        return "(OptFloat){false, 0}" if value is None else "(OptFloat){true, %s}" % number_code(value)
    if kind.startswith("int[]"):
        if value is None:
            return "(IntList){NULL, -1}"
        items = value if isinstance(value, (list, tuple)) else [value] * (a.list_size or 1)
        return "(IntList){(const int64_t[]){%s}, %d}" % (", ".join(map(str, items)) or "0", len(items))
    if kind.startswith("float[]"):
        return "(FloatList){NULL, -1}"
    if a.is_tensor_list:
        return "(TensorList){NULL, -1}"
    if kind.startswith("str"):
        return "NULL" if value is None else f'"{value}"'
    return number_code(value)


def number_code(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return '__builtin_nan("")'
        if value in (float("inf"), float("-inf")):
            return ("-" if value < 0 else "") + "__builtin_inf()"
    return repr(value)
