"""``python -m tests.fuzz``: runs cases, prints what differs, and writes it to build/fuzz."""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import sys
import time
from typing import Any

from .program import PRELUDE

FOLDER = pathlib.Path("build") / "fuzz"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cases", type=int, help="so many cases, however long they take")
    parser.add_argument("--case", type=int, help="this case alone: its program and both answers")
    parser.add_argument("--match", default="", help="only names that contain this")
    parser.add_argument("--jobs", type=int, default=2, choices=(1, 2))
    parser.add_argument("--never", action="store_true", help="also list what PyTorch never accepted")
    return parser.parse_args()


def show_case(seed: int, pattern: str, number: int) -> int:
    from . import explained, worker

    runner = worker.Runner(seed, pattern, [0.0, 0.0, 0.0])
    program = runner.generator.case(number)
    print(program.text())
    found = runner.differences(program)
    for difference in found:
        print(f"\n{difference.kind} of {difference.target}\n  PyTorch: {difference.theirs}\n  here:    {difference.ours}")
        reason = explained.reason(program, difference)
        print(f"  explained: {reason}" if reason else "  not explained")
    if not found:
        print("\nno difference")
    return bool(found)


def entry(finding: Any) -> str:
    lines = "\n".join("    " + line for line in finding.program.text().splitlines())
    return f"{finding.kind} of {finding.target} ({finding.count} times, first in case {finding.case})\n{lines}\n  PyTorch: {finding.theirs}\n  here:    {finding.ours}\n"


def write(report: Any, seed: int) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = report.sorted()
    head = f"seed {seed}, {report.cases} cases, {len(found)} differences; the programs begin with:\n\n{PRELUDE}\n"
    (FOLDER / "found.txt").write_text(head + "\n".join(map(entry, found)), encoding="utf-8")
    rows = [{**{key: value for key, value in vars(finding).items() if key != "program"}, "program": finding.program.text()} for finding in found]
    (FOLDER / "found.json").write_text(
        json.dumps({"seed": seed, "cases": report.cases, "found": rows, "explained": report.explained, "answered": report.answered}, indent=1), encoding="utf-8"
    )


def main() -> int:
    options = arguments()
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed, so there is nothing to compare with (pip install --group bench)")
        return 2
    if options.case is not None:
        return show_case(options.seed, options.match, options.case)
    from tqdm import tqdm

    from .supervise import Supervisor, smaller_death

    supervisor = Supervisor(options.seed, options.match, options.jobs)
    total = options.cases if options.cases is not None else options.seconds
    with tqdm(total=total, unit="case" if options.cases is not None else "s", disable=None) as bar:
        started = time.monotonic()

        def tick(report: Any) -> None:
            bar.n = min(report.cases if options.cases is not None else round(time.monotonic() - started), total)
            bar.set_postfix(cases=report.cases, found=len(report.findings), explained=sum(report.explained.values()))

        report = supervisor.run(0, options.cases, None if options.cases is not None else options.seconds, tick)
    write(report, options.seed)
    for finding in report.findings.values():
        if finding.kind in ("trap", "hang", "death"):
            finding.program = smaller_death(supervisor, finding)
    write(report, options.seed)
    for finding in report.sorted():
        print(entry(finding))
    print(f"{report.cases} cases, {len(report.findings)} differences, {sum(report.explained.values())} explained, PyTorch ended {len(report.ended_theirs)} times")
    for reason, count in report.explained.most_common():
        print(f"  {count} × {reason}")
    if options.never:
        print(*report.ended_theirs, sep="\n")
        print("never accepted by PyTorch:", *sorted(target for target, (_, valid) in report.answered.items() if not valid))
    print(f"written to {FOLDER / 'found.txt'} and found.json")
    return bool(report.findings)


if __name__ == "__main__":
    sys.exit(main())
