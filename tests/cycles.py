"""Circles in a graph of what knows what."""


def cycles(edges: dict[str, set[str]]) -> list[str]:
    """One line for each circle that a walk along the edges runs into."""
    found, done = [], set()

    def walk(at: str, trail: list[str]) -> None:
        if at in trail:
            found.append("a cycle: " + " -> ".join([*trail[trail.index(at):], at]))
        elif at not in done:
            for to in sorted(edges.get(at, ())):
                walk(to, [*trail, at])
            done.add(at)

    for start in sorted(edges):
        walk(start, [])
    return found
