"""Operator numbers by name: the index among the schemas."""

from .generated.schemas import SCHEMAS

#: by name, or by name.overload
NUMBERS = {text[: text.index("(")]: number for number, (text, *_) in enumerate(SCHEMAS)}
