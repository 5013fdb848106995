"""A picture of a division as one self-contained SVG: a bubble per client and class, the sizes as bars above."""

from __future__ import annotations

from html import escape

import numpy as np

from deep.partition.report import DivisionReport

__all__ = ["division_svg"]

_LEFT, _RIGHT, _TOP, _BARS, _GAP, _BOTTOM = 64.0, 16.0, 44.0, 56.0, 12.0, 40.0
_WIDEST, _NARROWEST, _TALLEST, _FLATTEST = 28.0, 10.0, 18.0, 7.0  # of a client's column and a class's row
_BLUE, _GREY, _INK = "#0072B2", "#8C8C8C", "#222222"  # the blue of Okabe and Ito


def division_svg(report: DivisionReport, title: str, class_names: tuple[str, ...] | None = None) -> str:
    """SVG text: a column per client, a row per class, bubbles with area ∝ q_kc (a full cell is 1), bars ∝ nₖ.

    A hundred clients fit a page (column 10 wide); hovering shows the numbers. A client with wrong labels has a grey
    bar. `class_names`: one per class, else their numbers. Raises `ValueError` for another number of names.
    """
    n_clients, n_classes = report.counts.shape
    names = class_names if class_names is not None else tuple(str(c) for c in range(n_classes))
    if len(names) != n_classes:
        raise ValueError(f"division_svg(class_names=…): {len(names)} names for {n_classes} classes")
    column = min(_WIDEST, max(_NARROWEST, 640 / n_clients))
    row = min(_TALLEST, max(_FLATTEST, 400 / n_classes))
    width = max(_LEFT + n_clients * column + _RIGHT, 420.0)
    floor = _TOP + _BARS + _GAP + n_classes * row
    summary = (
        f"{n_clients} clients, {report.counts.sum():,} samples, sizes {report.sizes.min():,} to"
        f" {report.sizes.max():,}; label skew {report.skew:.2f} (mean total variation from the pooled classes)"
    )
    body = [
        _text(_LEFT, 18, title, size=14, weight="bold"),
        _text(_LEFT, 34, summary, size=10),
        *_bars(report, column),
        *_bubbles(report, names, column, row),
        *_axes(names, n_clients, column, row, bool(report.n_wrong.any())),
    ]
    width = max(width, _LEFT + 5.2 * len(summary) + _RIGHT, _LEFT + 8 * len(title) + _RIGHT)  # so that no text is cut
    height = floor + _BOTTOM
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
            f' height="{height:.0f}" role="img" font-family="system-ui, sans-serif" fill="{_INK}">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(summary)}</desc>",
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def _bars(report: DivisionReport, column: float) -> list[str]:
    """One bar per client, as high as its size."""
    largest, bars = int(report.sizes.max()), [_text(_LEFT - 6, _TOP + 8, f"{report.sizes.max():,}", anchor="end")]
    for client, size in enumerate(report.sizes.tolist()):
        high = _BARS * size / largest
        wrong = int(report.n_wrong[client])
        note = f"client {client}: {size:,} samples" + (f", {report.kinds[client]}" if report.kinds[client] else "")
        note += f", {wrong:,} wrong labels" if wrong else ""
        bars.append(
            f'<rect x="{_LEFT + client * column + 0.1 * column:.1f}" y="{_TOP + _BARS - high:.1f}"'
            f' width="{0.8 * column:.1f}" height="{high:.1f}" fill="{_GREY if wrong else _BLUE}">'
            f"<title>{escape(note)}</title></rect>"
        )
    return bars


def _bubbles(report: DivisionReport, names: tuple[str, ...], column: float, row: float) -> list[str]:
    """One circle per client and class that has samples; its area is the client's share of the class."""
    radii = 0.48 * min(column, row) * np.sqrt(report.class_shares)
    top = _TOP + _BARS + _GAP
    return [
        f'<circle cx="{_LEFT + (client + 0.5) * column:.1f}" cy="{top + (label + 0.5) * row:.1f}"'
        f' r="{max(radii[client, label], 0.4):.2f}" fill="{_BLUE}"><title>client {client},'
        f" class {escape(names[label])}: {report.counts[client, label]:,}</title></circle>"
        for client, label in np.argwhere(report.counts > 0).tolist()
    ]


def _axes(names: tuple[str, ...], n_clients: int, column: float, row: float, wrong: bool) -> list[str]:
    """Names of the classes on the left, numbers of the clients below, as many as have room."""
    every_class = max(1, int(np.ceil(9 / row)))
    every_client = next(step for step in (1, 2, 5, 10, 20, 50, 100) if step * column >= 22 or step >= 100)
    top = _TOP + _BARS + _GAP
    floor = top + len(names) * row
    rows = [
        _text(_LEFT - 6, top + (c + 0.5) * row + 3, name if len(name) <= 10 else f"{name[:9]}…", anchor="end")
        for c, name in enumerate(names)
        if c % every_class == 0
    ]
    columns = [
        _text(_LEFT + (k + 0.5) * column, floor + 14, str(k), anchor="middle")
        for k in range(0, n_clients, every_client)
    ]
    legend = (
        "client; bars: samples; area of a bubble: share of the class at the client" + "; grey: wrong labels" * wrong
    )
    return [*rows, *columns, _text(_LEFT, floor + 30, legend)]


def _text(x: float, y: float, words: str, size: int = 9, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(words)}</text>"
    )
