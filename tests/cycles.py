"""cycles: finds cycles in a dependency graph."""


def cycles(edges: dict[str, set[str]]) -> list[str]:
    """One line for each cycle."""
    found, done = [], set()

    def visit(at: str, trail: list[str]) -> None:
        if at in trail:
            found.append("a cycle: " + " -> ".join([*trail[trail.index(at):], at]))
        elif at not in done:
            for to in sorted(edges.get(at, ())):
                visit(to, [*trail, at])
            done.add(at)

    for start in sorted(edges):
        visit(start, [])
    return found
