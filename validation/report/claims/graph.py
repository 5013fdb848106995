"""What rests on what: the claims of a paper as a layered graph, statements right of what they depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from validation.report.claims.claims import Claim
from validation.report.pictures.svg import drawing, el, fit, text, text_width

__all__ = ["dependency_graph", "layers"]

_ROW, _GAP, _TOP, _SWEEPS, _MOST_ROWS = 44.0, 46.0, 8.0, 8, 18
_TITLE = 168.0  # pixels of a title
_FALLEN = {"refuted"}


def layers(needs: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Names in layers, each right of everything it needs, ordered so that edges cross little.

    `needs[name]`: the names it rests on, all keys of `needs`. A dependency that would close a circle counts as none.
    """
    depth: dict[str, int] = {}
    open_now: set[str] = set()

    def place(name: str) -> int:
        if name not in depth:
            open_now.add(name)
            depth[name] = 1 + max((place(n) for n in needs[name] if n not in open_now), default=-1)
            open_now.discard(name)
        return depth[name]

    for name in needs:
        place(name)
    # What rests on nothing stands right before the first that rests on it.
    used = {n: [m for m in needs if n in needs[m]] for n in needs}
    for name in needs:
        if not needs[name] and used[name]:
            depth[name] = max(0, min(depth[m] for m in used[name]) - 1)
    columns: list[list[str]] = [[] for _ in range(1 + max(depth.values(), default=0))]
    for name in needs:
        columns[depth[name]].append(name)
    rank = {n: float(i) for column in columns for i, n in enumerate(column)}
    for sweep in range(_SWEEPS):
        near = used if sweep % 2 else needs
        for column in columns[::-1] if sweep % 2 else columns:
            middle = {n: sum(rank[m] for m in near[n]) / len(near[n]) if near[n] else rank[n] for n in column}
            column.sort(key=lambda n: (middle[n], rank[n]))
            rank |= {n: float(i) for i, n in enumerate(column)}
    return [piece for column in columns for piece in _split(column)]


def _split(column: list[str]) -> list[list[str]]:
    """A very tall layer as several of about equal height, side by side."""
    pieces = -(-len(column) // _MOST_ROWS)
    size = -(-len(column) // max(pieces, 1))
    return [column[i : i + size] for i in range(0, len(column), size)] if column else []


def dependency_graph(claims: Sequence[Claim], title: str, hrefs: Mapping[str, str]) -> Markup | None:
    """The claims of one paper that rest on, or carry, another; None where none does.

    Every claim shows its title and its verdict's sign and colour, and is a link to `hrefs[id]`; a line from a refuted
    statement stands out.
    """
    by_id = {c.id: c for c in claims}
    inner = {c.id: tuple(d for d in dict.fromkeys(c.rests_on) if d in by_id and d != c.id) for c in claims}
    linked = {d for needs in inner.values() for d in needs} | {n for n, needs in inner.items() if needs}
    needs = {n: inner[n] for n in inner if n in linked}
    if not needs:
        return None
    columns = layers(needs)
    tallest = max(len(column) for column in columns)
    x, where = 4.0, {}
    for column in columns:
        width = max(_wide(by_id[n]) for n in column) + 34
        for i, name in enumerate(column):
            y = _TOP + _ROW * (i + (tallest - len(column)) / 2)
            where[name] = (x, y, width)
        x += width + _GAP
    edges, fallen = [], 0
    for name, sources in needs.items():
        for source in sources:
            falls = by_id[source].verdict.word in _FALLEN
            fallen += falls
            edges.append((falls, _edge(where[source], where[name], source, name, falls=falls)))
    marks = [edge for _, edge in sorted(edges, key=lambda e: e[0])]
    marks += [_node(by_id[name], *where[name], hrefs[name]) for name in needs]
    words = f"{title}: {len(needs)} statements and {len(edges)} dependencies"
    words += f", {fallen} of them on a refuted statement" if fallen else ""
    wide, high = x - _GAP + 4, _TOP * 2 + _ROW * tallest
    picture = drawing(wide, high, words, marks, "graph", "group")
    # Letters keep their size: a deep proof scrolls instead of shrinking.
    return Markup(
        str(picture).replace("<svg ", f'<svg style="min-width:{wide:.0f}px;max-width:{1.3 * wide:.0f}px" ', 1)
    )


def _edge(
    source: tuple[float, float, float], target: tuple[float, float, float], a: str, b: str, *, falls: bool
) -> Markup:
    x0, y0, x1, y1 = source[0] + source[2], source[1] + _ROW / 2, target[0], target[1] + _ROW / 2
    bend = max(_GAP * 0.7, abs(x1 - x0) / 2)
    path = f"M{x0:.1f} {y0:.1f}C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    attributes: dict[str, str | float | None] = {"d": path, "class": "edge over" if falls else "edge"}
    return el("path", {**attributes, "data-from": a, "data-to": b})


def _wide(claim: Claim) -> float:
    return max(text_width(claim.id, 12.5), text_width(fit(claim.title, _TITLE, 11.0), 11.0))


def _node(claim: Claim, x: float, y: float, width: float, href: str) -> Markup:
    word = claim.verdict.word
    box: dict[str, str | float | None] = {"x": x, "y": y + 2, "width": width, "height": _ROW - 7, "rx": 5}
    sign: dict[str, str | float | None] = {"cx": x + 13, "cy": y + _ROW / 2 - 2, "r": 7.5, "class": f"sign v-{word}"}
    return el(
        "a",
        {"href": href, "class": "node", "data-id": claim.id},
        el("title", {}, f"{claim.id}, {word}: {claim.title}"),
        el("rect", box),
        el("circle", sign),
        el("text", {"x": x + 13, "y": y + _ROW / 2 + 2, "class": f"mark v-{word}"}, claim.verdict.sign),
        text(x + 27, y + 18, claim.id, "id"),
        text(x + 27, y + 32, fit(claim.title, _TITLE, 11.0), "node-title"),
    )
