"""The core's operators by name: an operator's number is its place among the schemas."""

from .generated.schemas import SCHEMAS

#: by name, or by name.overload
NUMBERS = {text[: text.index("(")]: number for number, (text, *_) in enumerate(SCHEMAS)}
