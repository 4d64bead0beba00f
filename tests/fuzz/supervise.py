"""Workers, watched: one that hangs or dies is replaced, and its case is a finding of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import connection
from typing import Any

from . import shrink, worker
from .compare import SERIOUS

SECONDS_FOR_A_CASE = 20
CHUNK = 60
MOST_TRIES_OF_A_DEATH = 10


@dataclass
class Finding:
    kind: str
    target: str
    case: int
    program: Any
    theirs: str
    ours: str
    count: int = 1

    @property
    def rank(self) -> tuple[int, str]:
        return (SERIOUS.index(self.kind) if self.kind in SERIOUS else len(SERIOUS), self.target)


@dataclass
class Report:
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    explained: Counter[str] = field(default_factory=Counter)
    answered: dict[str, list[int]] = field(default_factory=dict)
    cases: int = 0
    ended_theirs: list[str] = field(default_factory=list)  # programs that PyTorch does not survive

    def sorted(self) -> list[Finding]:
        return sorted(self.findings.values(), key=lambda finding: finding.rank)


class Worker:
    def __init__(self, seed: int, pattern: str):
        context = multiprocessing.get_context("spawn")
        self.progress = context.RawArray("d", 3)
        self.text = context.RawArray("c", 4096)
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=worker.main, args=(theirs, self.progress, self.text, seed, pattern), daemon=True)
        self.process.start()
        theirs.close()
        state, told = self.pipe.recv()
        if state == "failed":
            raise RuntimeError(told)
        self.names = told
        self.busy = False
        self.end = 0

    def hangs(self) -> bool:
        return self.progress[1] != worker.IDLE and time.monotonic() - self.progress[2] > SECONDS_FOR_A_CASE

    def stop(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()


class Supervisor:
    def __init__(self, seed: int, pattern: str = "", jobs: int = 2):
        self.seed, self.pattern, self.jobs = seed, pattern, jobs
        self.report = Report()
        self.known: set[tuple[str, str]] = set()
        self.next = 0
        self.left: list[tuple[int, int]] = []  # what remained of a chunk whose worker ended

    def run(self, first: int, cases: int | None, seconds: float | None, tick: Any = lambda report: None) -> Report:
        end = time.monotonic() + seconds if seconds else None
        self.next, last = first, first + cases if cases is not None else None
        workers = [Worker(self.seed, self.pattern) for _ in range(self.jobs)]
        try:
            while True:
                for one in workers:
                    if not one.busy:
                        self.give(one, last, end)
                if not any(one.busy for one in workers):
                    return self.report
                for pipe in connection.wait([one.pipe for one in workers if one.busy], timeout=0.5):
                    at = next(n for n, one in enumerate(workers) if one.pipe is pipe)
                    workers[at] = self.listen(workers[at])
                for at, one in enumerate(workers):
                    if one.busy and one.hangs():
                        workers[at] = self.ended(one, "hang")
                tick(self.report)
        finally:
            for one in workers:
                one.stop()

    def give(self, one: Worker, last: int | None, end: float | None) -> None:
        if end and time.monotonic() > end:
            return
        if self.left:
            first, count = self.left.pop()
        else:
            count = CHUNK if last is None else min(CHUNK, last - self.next)
            first, self.next = self.next, self.next + max(count, 0)
        if count <= 0:
            return
        one.busy, one.end = True, first + count
        one.pipe.send(("cases", first, count, self.known))

    def listen(self, one: Worker) -> Worker:
        try:
            message = one.pipe.recv()
        except (EOFError, OSError):
            return self.ended(one, "death")
        kind, *rest = message
        if kind == "explained":
            self.report.explained[rest[0]] += 1
        elif kind == "found":
            self.found(*rest)
        elif kind == "shrunk":
            _, key, program, theirs, ours = rest
            finding = self.report.findings[key]
            finding.case, finding.program, finding.theirs, finding.ours = rest[0], program, theirs, ours
        elif kind == "trapped":
            number = int(rest[0])
            self.report.cases += CHUNK - (one.end - number)
            if number < one.end:
                self.left.append((number, one.end - number))
            one.stop()
            return Worker(self.seed, self.pattern)
        elif kind == "done":
            self.report.cases += CHUNK
            for target, (calls, valid) in rest[1].items():
                count = self.report.answered.setdefault(target, [0, 0])
                count[0] += calls
                count[1] += valid
            one.busy = False
        return one

    def found(self, number: int, key: Any, program: Any, theirs: str, ours: str) -> None:
        target, kind = key
        if key in self.report.findings:
            self.report.findings[key].count += 1
        else:
            self.report.findings[key] = Finding(kind, target, number, program, theirs, ours)
            self.known.add(key)

    def ended(self, one: Worker, kind: str) -> Worker:
        """A worker that hangs or is gone: whose fault, and what goes on in its place."""
        number, side, text = int(one.progress[0]), one.progress[1], one.text.value.decode()
        one.stop()
        fresh = Worker(self.seed, self.pattern)
        if number + 1 < one.end:
            self.left.append((number + 1, one.end - number - 1))
        if side == worker.OURS:
            program = case(self.seed, self.pattern, number)
            self.found(number, (program.calls[-1][1].target, kind), program, "", kind)
        else:
            self.report.ended_theirs.append(f"{kind} {'of PyTorch' if side else 'of the worker'} in case {number}:\n{text}")
        return fresh


def case(seed: int, pattern: str, number: int) -> Any:
    import torch

    import pywasmtorch

    from .generate import Generator

    return Generator(pywasmtorch, torch, seed, pattern).case(number)


def smaller_death(supervisor: Supervisor, finding: Finding) -> Any:
    """Each try costs a process."""

    def still(program: Any) -> bool:
        one = Worker(supervisor.seed, supervisor.pattern)
        try:
            one.pipe.send(("program", program))
            if not one.pipe.poll(SECONDS_FOR_A_CASE):
                return finding.kind == "hang"
            answer = one.pipe.recv()[1]
            return finding.kind == "trap" and any(key[1] == "trap" for key, _, _ in answer)
        except (EOFError, OSError):
            return finding.kind == "death" and one.progress[1] == worker.OURS
        finally:
            one.stop()

    return shrink.shrunk(finding.program, still, MOST_TRIES_OF_A_DEATH)
