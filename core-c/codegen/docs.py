"""Writes the reference page: every operator with its signature, forms, dtypes and gradient."""

from __future__ import annotations

from .tables import DTYPES, Entry


def reference(entries: list[Entry]) -> str:
    out = ["# Operators\n\nGenerated from `core-c/ops`.\n"]
    family = None
    for e in sorted(entries, key=lambda e: (e.family, e.schema.full_name)):
        if "internal" in e.forms:
            continue
        if e.family != family:
            family = e.family
            out.append(f"\n## {family}\n")
        forms = ", ".join(f for f in e.forms)
        kinds = "all dtypes" if e.types == DTYPES else ", ".join(e.types)
        gradient = f"gradients for {', '.join(e.grad)}" if e.grad else "composite" if e.body in ("composite", "foreach") else "no gradient"
        out.append(f"\n`{e.schema.text}`  \n{e.doc.strip() + ' ' if e.doc else ''}{forms}; {kinds}; {gradient}.\n")
    return "".join(out)
