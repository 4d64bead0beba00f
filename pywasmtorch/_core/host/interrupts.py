"""Where Ctrl-C and other signals may strike: in the program, and not between the core and the object that holds what the core gave."""
from __future__ import annotations

import ctypes
import functools
import signal
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE = Path(__file__).parents[2]
# A function of no file: an interrupt that waits is raised in here.
breathe = eval(compile("lambda: None", "<breath>", "eval"))


def shielded(handler: Any, folders: tuple[str, ...]) -> Any:
    """A handler of signals that waits while code of these folders runs: the signal then comes again at the interpreter's next step but
    one. What arrives while this function decides is the same signal."""
    again, signal_again = ctypes.pythonapi.Py_AddPendingCall, ctypes.cast(ctypes.pythonapi.PyErr_SetInterruptEx, ctypes.c_void_p)
    waits: dict[CodeType, bool] = {}

    def on_signal(number: int, frame: FrameType | None) -> Any:
        if frame is None:
            return handler(number, frame)
        code = frame.f_code
        if code is own and frame.f_locals["number"] == number:
            return None
        if code not in waits:
            waits[code] = code is own or code.co_filename.startswith(folders)
        return again(signal_again, ctypes.c_void_p(number)) if waits[code] else handler(number, frame)

    own = on_signal.__code__
    on_signal.__wrapped__ = handler  # type: ignore[attr-defined]
    return on_signal


def plain(handler: Any) -> Any:
    """What the program set, of what is set."""
    return getattr(handler, "__wrapped__", handler) if getattr(handler, "__code__", None) is OWN else handler


OWN = shielded(None, ()).__code__


def shield(*packages: Any) -> None:
    """Takes the handlers of signals that are written in Python under the shield, those that the program sets later, too. A program that asks
    finds its own. That of Ctrl-C is replaced where Python keeps it, since some programs (asyncio is one) compare it."""
    # handles are on their way in this code, and in that of the packages that it calls
    places = [str(PACKAGE / place) for place in ("_core", "_tensor/operators.py", "_tensor/values.py", "autograd/_callbacks.py", "autograd/function.py", "autograd/graph.py")]
    folders = (*places, *(str(Path(package.__file__).parent) for package in packages))
    set_handler, get_handler, own_interrupt = signal.signal, signal.getsignal, signal.default_int_handler
    if plain(own_interrupt) is not own_interrupt:
        return
    signal.default_int_handler = interrupt = shielded(own_interrupt, folders)

    def kept(handler: Any) -> Any:
        """As it is kept: Python's own shield, and what is not written in Python, stay."""
        is_python = callable(handler) and not isinstance(handler, signal.Handlers)
        return handler if handler is interrupt or not is_python else shielded(handler, folders)

    def shown(handler: Any) -> Any:
        return handler if handler is interrupt else plain(handler)

    @functools.wraps(set_handler)
    def set_shielded(signalnum: Any, handler: Any) -> Any:
        return shown(set_handler(signalnum, kept(handler)))

    @functools.wraps(get_handler)
    def get_shown(signalnum: Any) -> Any:
        return shown(get_handler(signalnum))

    signal.signal, signal.getsignal = set_shielded, get_shown
    if threading.current_thread() is threading.main_thread():
        for number in signal.valid_signals():
            handler = get_handler(number)
            if handler is own_interrupt:
                set_handler(number, interrupt)
            elif callable(handler) and not isinstance(handler, signal.Handlers):
                set_handler(number, kept(handler))
