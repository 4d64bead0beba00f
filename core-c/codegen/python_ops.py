"""Writes ``pywasmtorch/_core/generated``: one Python function per operator, and the schemas that the slow path reads.

The fast path of a function writes its arguments into the frame as they are; any other argument (a number for a
tensor, a tuple for an int, a wrong type) goes to ``call``, which knows the schema, accepts what torch accepts and
raises what torch raises.
"""

from __future__ import annotations

from collections import defaultdict

from .schema import Argument
from .tables import Entry

HEADER = '"""Generated from core-c/ops; do not edit."""\n\n'
INPLACE, OUT = 1 << 24, 2 << 24
PUBLIC_FORMS = ("function", "method", "nn", "linalg", "special", "fft", "property")
PYTHON_NAMES = {"self": "input"}
RENAMED = {"self", "input", "other", "dim", "dim0", "keepdim", "from", "lambda"}  # see NUMPY_NAMES and PYTHON_NAMES of pywasmtorch/_core/arguments.py
DEPRECATED_SIGNATURES = {"add", "sub", "rsub", "addcmul", "addcdiv", "addmm", "addmv", "addr", "addbmm", "baddbmm"}  # see pywasmtorch/_core/deprecated_signatures.py
WITH_DOUBLES = {"put_floats", "put_optional_float", "put_scalar", "put_scalars"}
RESERVED = {"from": "from_", "lambda": "lambd"}


def python_name(a: Argument) -> str:
    return RESERVED.get(a.name, PYTHON_NAMES.get(a.name, a.name))


def default_text(a: Argument) -> str:
    value = a.default
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return f"float('{value}')"
    if isinstance(value, list):
        value = tuple(value)
    return repr(value)


def takes_other_names(entry: Entry) -> bool:
    return entry.forms != ["internal"] and any(a.name in RENAMED for a in entry.schema.arguments)


def signature(entry: Entry, inplace: bool) -> str:
    parts, star = [], False
    named = takes_other_names(entry)
    for a in entry.schema.arguments:
        if a.keyword_only and not star:
            parts.append("*older" if entry.schema.full_name in DEPRECATED_SIGNATURES else "*")
            star = True
        # what is required may come under another name
        parts.append(python_name(a) + (f"={default_text(a)}" if a.has_default else "=MISSING" if named else ""))
    if entry.has_out and not inplace:
        if not star:
            parts.append("*")
        parts.append("out=None")
    if named:
        parts.append("**names")
    return ", ".join(parts)


def is_default(a: Argument) -> str:
    name = python_name(a)
    if a.default is None or isinstance(a.default, bool):
        return f"{name} is {a.default}"
    if a.name == "alpha":
        return f"{name} == {default_text(a)} and {name} is not True"
    return f"{name} == {default_text(a)}"


class _Marshal:
    """Emits the statements that put one argument after the other into the frame."""

    def __init__(self, public: bool) -> None:
        self.lines: list[str] = []
        self.public = public  # what programs call refuses a bool for an int and the like
        self.next = 0  # the next slot; counted from `i` once something of any length came
        self.running = False

    def slot(self) -> str:
        if not self.running:
            return str(self.next)
        return f"i + {self.next}" if self.next else "i"

    def helper(self, name: str, value: str, optional: bool = False) -> None:
        if not optional:
            self.lines.append(f"if {value} is None: raise TypeError")
        frame = "words, doubles" if name in WITH_DOUBLES else "words"
        self.lines.append(f"i = {name}({frame}, {self.slot()}, {value})")
        self.running, self.next = True, 0

    def put(self, a: Argument) -> None:
        n, kind = python_name(a), a.type
        if kind == "Tensor":
            self.lines.append(f"words[{self.slot()}] = {n}._h")
            self.next += 1
        elif kind == "Tensor?":
            self.lines.append(f"words[{self.slot()}] = 0 if {n} is None else {n}._h")
            self.next += 1
        elif a.is_tensor_list:
            self.helper("put_maybe_tensors" if kind == "Tensor?[]" else "put_tensors", n, a.optional)
        elif kind in ("int", "bool"):
            if self.public:
                self.lines.append(f"if {n} is True or {n} is False: raise TypeError" if kind == "int" else f"if {n} is not True and {n} is not False: raise TypeError")
            self.lines.append(f"words[{self.slot()}] = {n}")
            self.next += 1
        elif kind == "float":
            self.lines.append(f"doubles[{self.slot()}] = {n}")
            self.next += 1
        elif kind in ("int?", "bool?"):
            self.helper(f"put_optional_{kind[:-1]}", n, a.optional)
        elif kind == "float?":
            self.helper("put_optional_float", n, a.optional)
        elif kind in ("int[]", "int[]?"):
            self.helper("put_int_list" if self.public and a.list_size is None else "put_ints", n, a.optional)
        elif kind in ("float[]", "float[]?"):
            self.helper("put_floats", n, a.optional)
        elif kind in ("Scalar", "Scalar?"):
            self.helper("put_scalar", n, a.optional)
        elif kind == "Scalar[]":
            self.helper("put_scalars", n)
        elif kind in ("ScalarType", "ScalarType?"):
            self.lines.append(f"words[{self.slot()}] = -1 if {n} is None else {n}._code")
            self.next += 1
        elif kind in ("str", "str?"):
            self.helper("put_text", n, a.optional)
        elif kind == "Generator?":
            self.lines.append(f"words[{self.slot()}] = 0 if {n} is None else {n}._id")
            self.next += 1


def _tail(entry: Entry, word: str, inplace: bool, indent: str = "    ") -> list[str]:
    returns = entry.schema.returns
    lines = ["if dead: flush()"]
    if inplace:
        lines += [f"if invoke({word}): return {python_name(entry.schema.arguments[0])}", "raise_error()"]
    elif len(returns) > 1:
        lines += [f"if invoke({word}): return take_many(words, {f'structs.{entry.schema.name}' if entry.schema.named_tuple else 'tuple'}, {len(returns)})", "raise_error()"]
    else:
        kind = returns[0][0]
        if kind == "Tensor":
            first = python_name(entry.schema.arguments[0]) if entry.schema.arguments and entry.schema.arguments[0].type == "Tensor" else ""
            # a composite may give back its input: the object at hand stands for it
            kept = f"    return {first} if h == {first}._h else result" if entry.body == "composite" and first and first not in entry.numbers + ["input"] * ("self" in entry.numbers) else "    return result"
            lines += [f"h = invoke({word})", "if h:", "    result = new(Tensor)", "    result._h = h", kept, "raise_error()"]
            if "internal" in entry.forms:
                lines = ["if dead: flush()", f"return take_tensor(words, invoke({word}))"]
        elif kind == "Tensor[]":
            lines += [f"if invoke({word}): return take_list(words)", "raise_error()"]
        else:
            reader = {"int": "words[0]", "float": "doubles[0]", "bool": "words[0] != 0", "Scalar": "take_scalar(words, doubles)", "ScalarType": "take_dtype(words)"}[kind]
            lines += [f"if invoke({word}): return {reader}", "raise_error()"]
    return [indent + line for line in lines]


def function(entry: Entry, name: str, inplace: bool = False) -> str:
    arguments = entry.schema.arguments
    form = INPLACE if inplace else 0
    word = entry.index | form
    names = ", ".join(python_name(a) for a in arguments)
    arguments_tuple = f"({names},)" if names else "()"
    out = [f"def {name}({signature(entry, inplace)}):"]
    if entry.doc:
        out.append(f'    """{entry.doc.strip()}"""')
    has_out = entry.has_out and not inplace
    slow = f"call({entry.index}, {form or 0}, {arguments_tuple}{', out' if has_out else ''})"
    if takes_other_names(entry):
        itself = f"globals()[{name!r}]" if name in map(python_name, arguments) else name
        out.append(f"    if names: return with_torch_names({itself}, names, locals())")
    if entry.schema.full_name in DEPRECATED_SIGNATURES:
        tensors = ", ".join(python_name(a) for a in arguments if not a.keyword_only)
        out.append(f"    if older: return call_deprecated_signature({name}, ({tensors}, *older), {'out' if has_out else 'None'})")
    if has_out:
        out.append(f"    if out is not None: return {slow}")
    defaults = []
    for a in reversed(arguments):
        if not a.has_default:
            break
        defaults.insert(0, a)
    required = arguments[: len(arguments) - len(defaults)]
    m = _Marshal(any(form in PUBLIC_FORMS for form in entry.forms))
    for a in required:
        m.put(a)
    body = list(m.lines)
    if defaults:
        for a in defaults:
            m.put(a)
        # Comparing a tensor that was given for a number is a call, too, so it comes before the frame is filled.
        test = " and ".join(is_default(a) for a in reversed(defaults))
        short = [*body, f"word = {word | len(required) << 16}"]
        long = [*m.lines, f"word = {word | len(arguments) << 16}"]
        body = [f"if {test}:", *["    " + line for line in short], "else:", *["    " + line for line in long]]
        final = "word"
    else:
        final = str(word | len(arguments) << 16)
    if body:
        out.append("    try:")
        out.append("        words, doubles, invoke = current()")
        out += ["        " + line for line in body]
        out.append("    except BAD_ARGUMENT:")
        out.append(f"        return {slow}")
    else:
        out.append("    words, doubles, invoke = here()")
    out += _tail(entry, final, inplace)
    return "\n".join(out) + "\n\n\n"


def varargs(entry: Entry, name: str, of: str) -> str:
    """view(2, 3) beside view((2, 3)): the method form takes its list as separate ints, too."""
    first = python_name(entry.schema.arguments[0])
    return (
        f"def {name}({first}, *{entry.varargs}, **names):\n"
        f"    if not {entry.varargs}: return {of}({first}, **names)\n"
        f"    if names: return {of}({first}, *{entry.varargs}, **names)\n"
        f"    if len({entry.varargs}) == 1 and not hasattr({entry.varargs}[0], \"__index__\"): {entry.varargs} = {entry.varargs}[0]\n"
        f"    return {of}({first}, {entry.varargs})\n\n\n"
    )


def of_lists(name: str, members: list[Entry]) -> list[str]:
    """The overloads of a function of lists, found by the kinds of their arguments and the names of others."""
    out = []
    for inplace in (False, True):
        there = [e for e in members if e.has_inplace or not inplace]
        suffix = "_" if inplace else ""
        kinds, table = [], []
        for e in there:
            of_form = f"_{e.c_name}_{'inplace' if inplace else 'overload'}"
            out.append(function(e, of_form, inplace))
            table.append(f"({e.index}, {of_form})")
            given = tuple(a.type for a in e.schema.arguments if not a.has_default)
            kinds.append(f"{given!r}: {of_form}")
            kinds += [f"{(*given, a.name if a.keyword_only else a.type)!r}: {of_form}" for a in e.schema.arguments if a.has_default]
        out.append(
            f"def {name}{suffix}(*arguments, **names):\n"
            f"    return dispatch_lists({name + suffix!r}, _{name}_{suffix}table, _{name}_{suffix}kinds, arguments, names)\n\n\n"
            f"_{name}_{suffix}table = ({', '.join(table)},)\n_{name}_{suffix}kinds = {{\n" + "".join(f"    {k},\n" for k in kinds) + "}\n\n\n"
        )
    return out


def bindings(entries: list[Entry]) -> dict[str, str]:
    groups: dict[str, list[Entry]] = defaultdict(list)
    for e in entries:
        groups[e.schema.name].append(e)
    out = [HEADER, "from ..arguments import MISSING\nfrom ..dispatch import call, dispatch, dispatch_lists, with_torch_names\nfrom ..frame import (\n    BAD_ARGUMENT, Tensor, current, dead, flush, follow, here, new, put_floats, put_int_list, put_ints, "
           "put_maybe_tensors, put_optional_bool, put_optional_float, put_optional_int,\n    put_scalar, put_scalars, put_tensors, put_text, raise_error, take_dtype, take_list, take_many, take_scalar, "
           "take_tensor,\n)\nfrom ..deprecated_signatures import call_deprecated_signature\nfrom . import structs\n\nfollow(globals())\n\n\n"]
    tables: dict[str, dict[str, str]] = {k: {} for k in ("FUNCTIONS", "METHODS", "NN", "LINALG", "SPECIAL", "FFT", "PROPERTIES")}
    place = {"function": "FUNCTIONS", "method": "METHODS", "nn": "NN", "linalg": "LINALG", "special": "SPECIAL", "fft": "FFT", "property": "PROPERTIES"}
    for name, members in groups.items():
        forms = {f for e in members for f in e.forms}
        safe = name if name not in ("abs", "all", "any", "max", "min", "pow", "round", "sum", "range") else f"{name}_function"
        safe = RESERVED.get(safe, safe)
        if len(members) == 1:
            e = members[0]
            if e.forms != ["inplace"]:
                out.append(function(e, safe))
            method = safe
            if e.varargs:
                method = f"{name}_method"
                out.append(varargs(e, method, safe))
            if e.has_inplace:
                out.append(function(e, f"{name}_", inplace=True))
        elif members[0].body == "foreach":
            method = safe
            out += of_lists(name, members)
        else:
            method = safe
            for e in members:
                out.append(function(e, f"_{e.c_name}_overload"))
                if e.has_inplace:
                    out.append(function(e, f"_{e.c_name}_inplace", inplace=True))
            public = [e for e in members if "internal" not in e.forms] or members
            table = ", ".join(f"({e.index}, _{e.c_name}_overload)" for e in public)
            out.append(f"def {safe}(*arguments, **names):\n    return dispatch({name!r}, _{name}_table, arguments, names)\n\n\n_{name}_table = ({table},)\n\n\n")
            inplace = [e for e in members if e.has_inplace]
            if inplace:
                table = ", ".join(f"({e.index}, _{e.c_name}_inplace)" for e in inplace)
                out.append(f"def {name}_(*arguments, **names):\n    return dispatch({name + '_'!r}, _{name}__table, arguments, names)\n\n\n_{name}__table = ({table},)\n\n\n")
        aliases = [name] + [a for e in members for a in e.aliases]
        for alias in aliases:
            for form in forms & set(place):
                tables[place[form]][alias.removeprefix("linalg_") if form == "linalg" else alias] = method if form == "method" else safe
            if "inplace" in forms and members[0].body == "foreach":
                tables["FUNCTIONS"][f"{alias}_"] = f"{name}_"
            elif "inplace" in forms:
                tables["METHODS"][f"{alias}_"] = f"{name}_"
                if "function" in forms:
                    tables["FUNCTIONS"][f"{alias}_"] = f"{name}_"
    for table, rows in tables.items():
        inside = "".join(f"    {k!r}: {v},\n" for k, v in rows.items())
        out.append(f"{table} = {{\n{inside}}}\n\n")
    schemas = [HEADER, "# (schema, arguments that may be Python numbers, whether the core writes to out=)\nSCHEMAS = (\n"]
    schemas += [f"    ({e.schema.text!r}, {tuple(e.numbers)!r}, {e.has_out}),\n" for e in entries]
    schemas.append(")\n")
    structs = [HEADER, "from ..named_tuple import return_type\n\n"]
    for name, members in groups.items():
        for e in members:
            if e.schema.named_tuple:
                structs.append(f"{name} = return_type({name!r}, {tuple(n for _, n in e.schema.returns)!r})\n")
                break
    return {"__init__.py": HEADER, "ops.py": "".join(out), "schemas.py": "".join(schemas), "structs.py": "".join(structs)}
