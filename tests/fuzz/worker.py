"""One process that runs cases; what it may not survive is told by another, which watches it."""

from __future__ import annotations

import contextlib
import gc
import os
import time
import traceback
import warnings
from typing import Any

IDLE, THEIRS, OURS = range(3)
MEMORY = "1G"  # what this package may use


class Runner:
    def __init__(self, seed: int, pattern: str, progress: Any, text: Any = None):
        os.environ["PYWASMTORCH_MEMORY"], os.environ["PYWASMTORCH_NUM_THREADS"] = MEMORY, "1"
        warnings.simplefilter("ignore")
        import torch

        import pywasmtorch
        from pywasmtorch._core import memory

        from . import generate

        torch.set_num_threads(1)
        self.text = text
        self.ours, self.theirs, self.memory, self.progress = pywasmtorch, torch, memory, progress
        self.generator = generate.Generator(pywasmtorch, torch, seed, pattern)
        self.answered: dict[str, list[int]] = {}
        with contextlib.suppress(ImportError):  # what PyTorch allocates, so that a mistake does not take the machine
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
        pywasmtorch.rand(100_000).exp()
        for _ in range(3):  # what is imported by the first calls
            self.differences(self.generator.case(0))
        self.answered = {}
        gc.collect()
        gc.freeze()

    def outcome(self, side: int, program: Any) -> Any:
        from . import outcome

        self.progress[1], self.progress[2] = side, time.monotonic()
        if self.text is not None:
            self.text.value = program.text().encode()[:4000]
        try:
            return outcome.run(self.theirs if side == THEIRS else self.ours, program)
        finally:
            self.progress[1] = IDLE

    def differences(self, program: Any) -> list[Any]:
        from . import compare, outcome

        theirs = self.outcome(THEIRS, program)
        before = self.memory.live_tensors()
        ours = self.outcome(OURS, program)
        target = program.calls[-1][1].target
        self.note(target, theirs)
        failure = next((value for _, _, value in ours.results if isinstance(value, outcome.Failure)), ours.gradients)
        if ours.trapped:
            return [compare.Difference("trap", target, compare.text(theirs.results[-1][2]), compare.text(failure))]
        found = compare.differences(theirs, ours)
        if found and (compare.out_of_memory(theirs) and compare.out_of_memory(ours) or compare.out_of_memory(ours) and "MemoryError" in found[0].ours):
            found = []
        if found and found[0].where is not None and self.settled(program, found[0]):
            found = []
        if self.memory.live_tensors() > before:
            gc.collect()
            if self.memory.live_tensors() > before:
                more = self.memory.live_tensors() - before
                found.append(compare.Difference("leak", target, "", f"{more} tensors stay"))
        return found

    def settled(self, program: Any, difference: Any) -> bool:
        """Whether rounding explains it: in double PyTorch is as far from itself as we are."""
        from . import compare

        copy = program.copy()
        for tensor in copy.tensors.values():
            tensor.dtype = {"float32": "float64", "float16": "float64", "bfloat16": "float64", "complex64": "complex128"}.get(tensor.dtype, tensor.dtype)
        return compare.settled_anywhere(self.outcome(THEIRS, copy), difference.where)

    def note(self, target: str, theirs: Any) -> None:
        from . import outcome

        count = self.answered.setdefault(target, [0, 0])
        count[0] += 1
        count[1] += not any(isinstance(value, outcome.Failure) for _, _, value in theirs.results)

    def run(self, first: int, count: int, known: set[Any], send: Any) -> None:
        from . import explained, shrink

        for number in range(first, first + count):
            self.progress[0] = number
            program = self.generator.case(number)
            for difference in self.differences(program):
                reason = explained.reason(program, difference)
                if reason:
                    send(("explained", reason))
                    continue
                send(("found", number, difference.key, program, difference.theirs, difference.ours))
                if difference.kind == "trap":
                    return send(("trapped", number + 1))
                if difference.key in known:
                    continue
                known.add(difference.key)
                key = difference.key

                def still(candidate: Any) -> bool:
                    return any(d.key == key and not explained.reason(candidate, d) for d in self.differences(candidate))

                smaller = shrink.shrunk(program, still)
                last = next((d for d in self.differences(smaller) if d.key == key), difference)
                send(("shrunk", number, key, smaller, last.theirs, last.ours))
        send(("done", first + count, self.answered))
        self.answered = {}


def main(pipe: Any, progress: Any, text: Any, seed: int, pattern: str) -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    if not os.environ.get("FUZZ_STDERR"):
        os.dup2(quiet, 2)
    try:
        runner = Runner(seed, pattern, progress, text)
    except Exception:
        return pipe.send(("failed", traceback.format_exc()))
    pipe.send(("ready", runner.generator.names))
    while True:
        task = pipe.recv()
        if task is None:
            return
        if task[0] == "program":
            pipe.send(("answer", [(d.key, d.theirs, d.ours) for d in runner.differences(task[1])]))
        else:
            runner.run(task[1], task[2], set(task[3]), pipe.send)
