"""Where Ctrl-C may strike: in the program, and not between the core and the object that holds what the core gave."""
from __future__ import annotations

import ctypes
import signal
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = Path(__file__).parents[2]
# A function of no file: an interrupt that waits is raised in here.
breathe = eval(compile("lambda: None", "<breath>", "eval"))


def shielded(handler: Any, folders: tuple[str, ...]) -> Any:
    """A handler of Ctrl-C that waits while code of these folders runs: the signal then comes again at the interpreter's next step but
    one. What arrives while this function decides is the same interrupt."""
    again, signal_again = ctypes.pythonapi.Py_AddPendingCall, ctypes.cast(ctypes.pythonapi.PyErr_SetInterruptEx, ctypes.c_void_p)
    number = ctypes.c_void_p(signal.SIGINT)
    waits: dict[CodeType, bool] = {}

    def on_signal(number_of: int, frame: FrameType | None) -> Any:
        if frame is None:
            return handler(number_of, frame)
        code = frame.f_code
        if code is own:
            return None
        if code not in waits:
            waits[code] = code.co_filename.startswith(folders)
        return again(signal_again, number) if waits[code] else handler(number_of, frame)

    own = on_signal.__code__
    return on_signal


def shield(*packages: Any) -> None:
    """Takes Python's own handling of Ctrl-C under the shield; what a program put in its place stays as it is. Programs that ask whether
    Python's own is in place (asyncio does) find that it is."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # handles are on their way in this code, and in that of the packages that it calls
        folders = [str(PACKAGE / place) for place in ("_core", "_tensor/operators.py", "_tensor/values.py", "autograd/_callbacks.py", "autograd/function.py")]
        folders += [str(Path(package.__file__).parent) for package in packages]
        signal.default_int_handler = shielded(signal.default_int_handler, tuple(folders))
        signal.signal(signal.SIGINT, signal.default_int_handler)
