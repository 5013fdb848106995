"""One run in exact arithmetic: raw moments of the model on every axis, every client as c·w + b with noise beside it.

What drawing clients does is written by the chances that one and two of them are drawn. Scripts of counterexamples carry
this function, so it uses builtins and fractions alone. Formulas are sources of Python in the letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

__all__ = ["exact_run"]


Told = Mapping[str, Any]
State = tuple[Any, Any, Any]
"""Of every client and axis c and b of c·w + b, and the covariances of its noise with that of all, or with its own."""


def exact_run(
    x: Mapping[str, Any],
    *,
    E: int,
    R: int,
    eta: str,
    letters: Iterable[Callable[[Mapping[str, Any]], Any]],
    let: tuple[tuple[str, str], ...] = (),
    weights: str = "shares",
    noise: str = "independent",
    part: str = "all",
    server: str = "",
    momentum: str = "",
    prox: str = "",
    steps: str = "alike",
    control: str = "",
    short: int = 0,
    given: tuple[str, ...] = (),
) -> tuple[dict[str, bool], dict[str, Any]]:
    """Hypotheses, and the letters that `letters` give of the run; a letter that is undefined fails a hypothesis.

    A letter has the name of its function without `_of`; `given`: further ones, which are drawn or defined by `let`. The
    instance is as the batch has it.
    """
    p, one = x["share"], Fraction(1)
    T, clients = R * E, range(len(p))
    outcomes = seen_outcomes(len(p), x.get("seen", one)) if weights == "seen" else []
    table = [p] if weights in ("shares", "seen") else x["weights"]
    if outcomes:
        table = [[sum(chance for chance, who, _ in outcomes if who == i) for i in clients]]
    elif "mix" in x and weights != "shares":
        table = [[p[i] + x["mix"] * (row[i] - p[i]) for i in clients] for row in table]
    table = table[:1] if weights == "a row" else table
    known = {"Fraction": Fraction, "max": max, "min": min, "abs": abs}
    numbers = numbers_of(x, E, R, short)
    for name, source in let:
        numbers[name] = eval(source, known, numbers)
    h, m, axes = x["curvature"], x["optimum"], range(len(x["start"]))
    H = [sum(p[i] * h[i][j] for i in clients) for j in axes]
    told = {
        "h": h, "m": m, "p": p, "E": E, "R": R, "H": H, "x": x, "numbers": numbers,
        "best": [sum(p[i] * h[i][j] * m[i][j] for i in clients) / H[j] if H[j] > 0 else Fraction(0) for j in axes],
        "sigma": [s * x["noisy"] if noise != "none" else Fraction(0) for s in x["sigma"]],
        "rows": [table[min(t if weights == "a row a step" else t // E, len(table) - 1)] for t in range(T)],
        "etas": [eval(eta, known, {**numbers, "t": Fraction(t)}) for t in range(T)],
        "rate": eval(server, known, numbers) if server else one,
        "beta": eval(momentum, known, numbers) if momentum else Fraction(0),
        "bind": eval(prox, known, numbers) if prox else Fraction(0),
        "lasting": [int(v) for v in x["own_steps"]] if steps != "alike" else [E for i in clients],
        "noise": noise, "part": part, "normalised": steps == "own, normalised", "control": control,
        "end": T - short, "outcomes": outcomes,
    }  # fmt: skip
    turn, pull = last_map(told)
    start = where_it_begins(told, turn, pull)
    run = {**told, **rounds(told, start), "turn": turn, "pull": pull}
    run |= {"rows": told["rows"][: T - short], "etas": told["etas"][: T - short]}
    one_hot = [[Fraction(int(who == i)) for i in clients] for _, who, _ in outcomes]
    run["possible"] = one_hot if outcomes else run["rows"]
    found = {letter.__name__.removesuffix("_of"): letter(run) for letter in letters}
    found.update({name: numbers[name] for name in given})
    K, N = numbers["K"], len(p)
    met = {
        "F has a minimum: sum p_i h_i > 0": min(H) > 0,
        "shares on the simplex: sum 1, each >= 0": sum(p) == 1 and min(p) >= 0,
        "weights on the simplex: sum 1, each >= 0": all(sum(row) == 1 and min(row) >= 0 for row in table),
        "steps > 0, noise >= 0": min(run["etas"]) > 0 and min(run["sigma"]) >= 0,
        "those drawn are there: 1 <= K <= N": part not in ("uniform", "uniform updates") or 1 <= K <= N,
        "every letter is defined": all(value is not None for value in found.values()),
    }
    return met, {name: Fraction(0) if value is None else value for name, value in found.items()}


def numbers_of(x: Mapping[str, Any], E: int, R: int, short: int) -> dict[str, Any]:
    """The letters that formulas may have."""
    h = x["curvature"]
    numbers = {name: value for name, value in x.items() if not isinstance(value, list)}
    numbers["mu"] = min(min(row) for row in h)
    numbers["L"] = max(abs(v) for row in h for v in row) * x.get("loose", Fraction(1))
    numbers["K"] = Fraction(x.get("drawn", len(h)))
    numbers["q"] = min(x["present"]) if "present" in x else Fraction(1)
    for name, value in (("E", E), ("R", R), ("T", E * R - short), ("N", len(h))):
        numbers[name] = Fraction(value)
    return numbers


def seen_outcomes(N: int, seen: Any) -> list[tuple[Any, int, int]]:
    """(chance, client, sign) of who is chosen by fair signs: the first with a plus, else the first; or always that."""
    if seen == 0:
        return [(Fraction(1, 2), 0, 1), (Fraction(1, 2), 0, -1)]
    return [(Fraction(1, 2 ** (i + 1)), i, 1) for i in range(N)] + [(Fraction(1, 2**N), 0, -1)]


def picked(told: Told, r: int, state: State, first: Any, second: Any) -> tuple[Any, Any]:
    """E w and E w² after a step of the client that its noise chose, outcome by outcome."""
    c, b, _ = state
    mean, square = [Fraction(0) for _ in first], [Fraction(0) for _ in first]
    for chance, i, sign in told["outcomes"]:
        for j in range(len(first)):
            off = b[i][j] - (sign * told["etas"][r] * told["sigma"][i] if j == 0 else 0)
            mean[j] += chance * (c[i][j] * first[j] + off)
            square[j] += chance * (c[i][j] ** 2 * second[j] + 2 * c[i][j] * off * first[j] + off**2)
    return mean, square


def unmoved(told: Told) -> State:
    """Every client where the model is."""
    clients, axes = range(len(told["p"])), range(len(told["H"]))
    others = clients if told["noise"] == "common" else [0]
    c = [[Fraction(1) for j in axes] for i in clients]
    b = [[Fraction(0) for j in axes] for i in clients]
    return c, b, [[[Fraction(0) for j in axes] for k in others] for i in clients]


def one_step(told: Told, state: State, t: int, control: Any) -> State:
    """Every client one local step on."""
    c, b, cov = state
    h, m, bind, noise = told["h"], told["m"], told["bind"], told["noise"]
    clients, axes, d = range(len(h)), range(len(h[0])), len(h[0])
    step = [told["etas"][t] if t % told["E"] < told["lasting"][i] else Fraction(0) for i in clients]
    keep = [[1 - step[i] * (h[i][j] + bind) for j in axes] for i in clients]
    c = [[keep[i][j] * c[i][j] + step[i] * bind for j in axes] for i in clients]
    b = [[keep[i][j] * b[i][j] + step[i] * (h[i][j] * m[i][j] + control[i][j]) for j in axes] for i in clients]
    fresh = [step[i] * told["sigma"][i] for i in clients]
    if noise == "common":
        rows = [
            [[keep[i][j] * keep[k][j] * cov[i][k][j] + fresh[i] * fresh[k] / d for j in axes] for k in clients]
            for i in clients
        ]
        return c, b, rows
    return c, b, [[[keep[i][j] ** 2 * cov[i][0][j] + fresh[i] ** 2 / d for j in axes]] for i in clients]


def alone(told: Told, i: int, state: State, first: Any, second: Any, j: int) -> Any:
    """E w_i² on an axis."""
    c, b, cov = state[0][i][j], state[1][i][j], state[2][i][i if told["noise"] == "common" else 0][j]
    return c**2 * second[j] + 2 * c * b * first[j] + b**2 + cov


def together(row: Any, state: State, first: Any) -> Any:
    """E Σ row_i w_i on every axis."""
    c, b, _ = state
    return [sum(w * (c[i][j] * first[j] + b[i][j]) for i, w in enumerate(row)) for j in range(len(first))]


def square(told: Told, row: Any, state: State, first: Any, second: Any, j: int) -> Any:
    """E(Σ row_i w_i)² on an axis."""
    c, b, cov = state
    clients = range(len(row))
    C, B = sum(row[i] * c[i][j] for i in clients), sum(row[i] * b[i][j] for i in clients)
    if told["noise"] == "common":
        own = sum(row[i] * row[k] * cov[i][k][j] for i in clients for k in clients)
    else:
        own = sum(row[i] ** 2 * cov[i][0][j] for i in clients)
    return C**2 * second[j] + 2 * C * B * first[j] + B**2 + own


def row_of(told: Told, r: int) -> Any:
    """How round r weights the clients' updates."""
    row, lasting = told["rows"][(r + 1) * told["E"] - 1], told["lasting"]
    if not told["normalised"]:
        return row
    typical = sum(w * n for w, n in zip(row, lasting, strict=True))
    return [w * typical / n for w, n in zip(row, lasting, strict=True)]


def drawn_square(told: Told, row: Any, state: State, first: Any, second: Any, j: int) -> Any:
    """E of the square of what the server adds up on an axis: by the chances that one and two clients are drawn."""
    part, N, K = told["part"], len(row), told["numbers"]["K"]
    pair, single = Fraction(1), [Fraction(0) for w in row]
    if part == "by weight":
        pair, single = (K - 1) / K, [w / K for w in row]
    elif part in ("uniform", "uniform updates"):
        pair = N * (K - 1) / (K * (N - 1)) if N > 1 else Fraction(1)
        single = [w**2 * (N / K - pair) for w in row]
    elif part == "bernoulli":
        single = [w**2 * (1 / q - 1) for w, q in zip(row, told["x"]["present"], strict=True)]
    extra = sum(s * alone(told, i, state, first, second, j) for i, s in enumerate(single) if s != 0)
    return pair * square(told, row, state, first, second, j) + extra


def last_map(told: Told) -> tuple[Any, Any]:
    """Of the last round: the mean of what the server adds is turn·w + pull."""
    T, E = told["E"] * told["R"], told["E"]
    state = unmoved(told)
    for t in range(T - E, T):
        state = one_step(told, state, t, unmoved(told)[1])
    row, axes = row_of(told, told["R"] - 1), range(len(told["H"]))
    turn = [sum(w * (state[0][i][j] - 1) for i, w in enumerate(row)) for j in axes]
    pull = [sum(w * state[1][i][j] for i, w in enumerate(row)) for j in axes]
    pull[0] -= told["etas"][T - 1] * sum(chance * sign * told["sigma"][i] for chance, i, sign in told["outcomes"])
    return turn, pull


def where_it_begins(told: Told, turn: Any, pull: Any) -> Any:
    """The drawn start, w*, or where the last map rests."""
    x, axes = told["x"], range(len(told["H"]))
    begin, start = x.get("begin", 0), x["start"]
    if begin == 1:
        return told["best"]
    if begin == 2:
        return [-pull[j] / turn[j] if turn[j] != 0 else start[j] for j in axes]
    return start


def rounds(told: Told, start: Any) -> dict[str, Any]:
    """E w and E w² of the model before every step and at the end, of the clients around it, of Σa_i w_i after it."""
    h, m, E = told["h"], told["m"], told["E"]
    clients, axes = range(len(h)), range(len(start))
    first, second = list(start), [w * w for w in start]
    velocity: Any = [Fraction(0) for j in axes], [Fraction(0) for j in axes], [Fraction(0) for j in axes]
    models, locals_, virtual = [(first, second)], [], []
    sides = unmoved(told)[1]
    if told["control"] == "from the gradients":
        sides = [[h[i][j] * (start[j] - m[i][j]) for j in axes] for i in clients]
    for r in range(told["R"]):
        common = [sum(told["rows"][r * E][i] * sides[i][j] for i in clients) for j in axes]
        given = [[sides[i][j] - common[j] for j in axes] for i in clients]
        state = unmoved(told)
        for t in range(r * E, min((r + 1) * E, told["end"])):
            before = clients_at(told, state, first, second)
            state = one_step(told, state, t, given)
            locals_.append((before, clients_at(told, state, first, second)))
            row = told["rows"][t]
            squares = [square(told, row, state, first, second, j) for j in axes]
            virtual.append((together(row, state, first), squares))
            if (t + 1) % E:
                models.append(virtual[-1])
        if (r + 1) * E > told["end"]:
            break
        if told["outcomes"]:
            first, second = picked(told, r, state, first, second)
            models.append((first, second))
            continue
        if told["control"]:
            length = sum(told["etas"][r * E : (r + 1) * E])
            moved = [[first[j] - state[0][i][j] * first[j] - state[1][i][j] for j in axes] for i in clients]
            sides = [[given[i][j] + moved[i][j] / length for j in axes] for i in clients]
        first, second, velocity = next_model(told, row_of(told, r), state, first, second, velocity)
        models.append((first, second))
    return {"models": models, "locals": locals_, "virtual": virtual}


def clients_at(told: Told, state: State, first: Any, second: Any) -> Any:
    """(E w_i, E w_i²) of every client on every axis."""
    c, b, _ = state
    axes = range(len(first))
    return [
        [(c[i][j] * first[j] + b[i][j], alone(told, i, state, first, second, j)) for j in axes] for i in range(len(c))
    ]


def next_model(told: Told, row: Any, state: State, first: Any, second: Any, velocity: Any) -> tuple[Any, Any, Any]:
    """E w and E w² after the server's step, and E v, E v², E w·v of its momentum."""
    axes, rate, beta = range(len(first)), told["rate"], told["beta"]
    if told["part"] == "uniform":  # N/K times the models themselves
        squares = [drawn_square(told, row, state, first, second, j) for j in axes]
        return together(row, state, first), squares, velocity
    c, b, cov = state
    moved = [[v - 1 for v in of] for of in c], b, cov
    mean = together(row, moved, first)
    v1, v2, wv = velocity
    C = [sum(w * moved[0][i][j] for i, w in enumerate(row)) for j in axes]
    B = [sum(w * b[i][j] for i, w in enumerate(row)) for j in axes]
    turned = [beta * wv[j] + C[j] * second[j] + B[j] * first[j] for j in axes]  # E w·v of the new v
    size = [drawn_square(told, row, moved, first, second, j) for j in axes]
    v2 = [beta**2 * v2[j] + 2 * beta * (C[j] * wv[j] + B[j] * v1[j]) + size[j] for j in axes]
    v1 = [beta * v1[j] + mean[j] for j in axes]
    second = [second[j] + 2 * rate * turned[j] + rate**2 * v2[j] for j in axes]
    first = [first[j] + rate * v1[j] for j in axes]
    return first, second, (v1, v2, [turned[j] + rate * v2[j] for j in axes])
