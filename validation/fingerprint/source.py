"""What a function's source says: its normal form, the names it loads, what it imports, reads and depends on outside.

Kept between processes by the bytes of the file and by the code that ran, which has to be the code of that file: a
compiled file can outlive a change of its source that keeps size and second.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from validation.fingerprint import normal_form, words
from validation.fingerprint.kept import Kept
from validation.fingerprint.normal_form import Form, Function, code_node, file_digest, looks_names_up
from validation.fingerprint.words import words_in_code

__all__ = ["Source", "UnreadableError", "has_file", "keep_sources", "makers", "source_of"]

__judges__ = "no"

Chain: TypeAlias = tuple[str, ...]


class UnreadableError(ValueError):
    """What a verdict depends on cannot be read, so there is no digest of it."""


@dataclass(frozen=True)
class Source:
    """What is known of a function from its text.

    `names`: (name, how it is written) of every global name, in order of first use. `chains`: by name, the attributes it
    is used with. `variables`: what the names of variables of enclosing functions are written as. `imports`: (module,
    name, how it is written) of every import inside, in order of first use, those that nothing uses at the end; the name
    is empty where a module itself is imported. `environment`: keys that are
    read; None among them is one that only its run knows. `files`: the texts in a function that reads files, None for
    one that reads none. `raises`: the words of its errors. `reads_errors`: whether it looks into a caught one.
    `words`: the words and patterns in it that can be keys.
    """

    digest: str
    names: tuple[tuple[str, str], ...]
    chains: dict[str, tuple[Chain, ...]]
    variables: dict[str, str]
    imports: tuple[tuple[str, str, str], ...]
    environment: tuple[str | None, ...]
    files: tuple[str, ...] | None
    raises: str
    reads_errors: bool
    words: tuple[str, ...]


_sources: dict[tuple[str, CodeType], Source] = {}


@cache
def makers() -> str:
    """SHA-256 of the code and the constants that read sources, as they run in this process."""
    found: list[str] = []
    for module in (normal_form, words, sys.modules[__name__]):
        for name, value in sorted(vars(module).items()):
            if isinstance(value, set | dict | str | int) and name[:2] != "__" and value is not _sources:
                found.append(f"{name} {sorted(map(repr, value)) if isinstance(value, set) else repr(value)}")
            own = vars(value).values() if isinstance(value, type) else [value]
            for part in own:
                function: object = part.fget if isinstance(part, property) else part
                while hasattr(function, "__wrapped__"):
                    function = function.__wrapped__
                if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                    found.append(_code_digest(function.__code__))
    return sha256("\0".join(found).encode()).hexdigest()


_kept = Kept(makers)


def source_of(function: FunctionType) -> Source:
    """The source of a function, kept by code object.

    Raises `UnreadableError` where there is none, or where the code that ran is not what the file says today.
    """
    code = function.__code__
    key = (code.co_filename, code)
    if key not in _sources:
        package = function.__globals__.get("__package__") or ""
        place = _kept.key(code, f"{package}\0{_code_digest(code)}")
        there = _kept.get(place)
        if there is None:
            _sources[key] = _read(function, package)
            _kept.put(place, asdict(_sources[key]))
        else:
            _sources[key] = _again(there)
    return _sources[key]


def keep_sources() -> None:
    """Write what was read so far for other processes, as the end of this one does."""
    if _kept.made:
        _kept.write()


def _again(there: dict[str, Any]) -> Source:
    """A source as it was kept, JSON's lists as tuples."""
    chains = {name: tuple(map(tuple, found)) for name, found in there["chains"].items()}
    pairs = {name: tuple(map(tuple, there[name])) for name in ("names", "imports")}
    files = None if there["files"] is None else tuple(there["files"])
    lists = {name: tuple(there[name]) for name in ("environment", "words")}
    return Source(**{**there, **pairs, **lists, "chains": chains, "files": files})


def _read(function: FunctionType, package: str) -> Source:
    code, node = function.__code__, code_node(function)
    here = f"{function.__module__}.{function.__qualname__}"
    if node is None:
        raise UnreadableError(f"the function {here}, whose source is not at hand")
    if not (_is_of_file(code) or _rewritten(function)):
        raise UnreadableError(
            f"the function {here}, as the code that ran is not that of {code.co_filename}: start again,"
            " without __pycache__ where that does not help"
        )
    form = normal_form.normal_form(node)
    looks_up = looks_names_up(form.nodes)
    digest = form.digest + (file_digest(code.co_filename) if looks_up else "")
    loaded = set(_loaded(code))
    return Source(
        digest,
        tuple((name, shown) for name, shown in form.names.items() if name in loaded),
        _chains(form.nodes),
        {name: form.names[name] for name in code.co_freevars if name in form.names},
        _imports(node, form, package),
        tuple(_environment(form.nodes)),
        _files(form.nodes),
        _words_of_errors(node),
        _reads_errors(node),
        words_in_code(form.nodes, looks_up),
    )


_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_LOADS = {_GLOBAL, dis.opmap["LOAD_NAME"]}


def _loaded(code: CodeType) -> Iterator[str]:
    """The global names that code loads, those of the functions inside included; `dis` takes ten times as long."""
    steps, high = code.co_code, 0
    for operation, low in zip(steps[::2], steps[1::2], strict=True):
        place = high | low
        high = place << 8 if operation == dis.EXTENDED_ARG else 0
        if operation in _LOADS:
            yield code.co_names[place >> 1 if operation == _GLOBAL else place]  # its last bit says: to be called
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _loaded(constant)


def _chains(parts: Iterable[ast.AST]) -> dict[str, tuple[Chain, ...]]:
    """For every name the chains of attributes it is used with; an empty chain where it is used alone."""
    found: dict[str, set[Chain]] = {}
    inner: set[int] = set()
    for part in parts:
        if id(part) in inner or not isinstance(part, ast.Attribute | ast.Name):
            continue
        path: list[str] = []
        base: ast.expr = part
        while isinstance(base, ast.Attribute):
            path.append(base.attr)
            base = base.value
            inner.add(id(base))
        if isinstance(base, ast.Name):
            found.setdefault(base.id, set()).add(tuple(reversed(path)))
    return {name: tuple(sorted(chains)) for name, chains in found.items()}


def _imports(node: ast.AST, form: Form, package: str) -> tuple[tuple[str, str, str], ...]:
    if not any(isinstance(part, ast.Import | ast.ImportFrom) for part in form.nodes):
        return ()
    found: list[tuple[str, str, str]] = []  # (what it is called, module, name)
    for part in ast.walk(node):
        if isinstance(part, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - part.level + 1] if part.level else []
            module = ".".join([*parents, *([part.module] if part.module else [])])
            found += [(alias.asname or alias.name, module, alias.name) for alias in part.names]
        elif isinstance(part, ast.Import):
            found += [(alias.asname or alias.name.partition(".")[0], alias.name, "") for alias in part.names]
    places = {name: place for place, name in enumerate(form.names)}
    unused = len(places)
    ordered = sorted(found, key=lambda entry: (places.get(entry[0], unused), *entry))
    return tuple((module, name, form.names.get(called, "")) for called, module, name in ordered)


def _environment(parts: Sequence[ast.AST]) -> Iterator[str | None]:
    """The keys of os.environ and os.getenv that are read; None for one that is computed."""
    named: set[int] = set()  # uses of `environ` of which the key is known
    for part in parts:
        if isinstance(part, ast.Subscript) and _is_environ(part.value):
            named.add(id(part.value))
            yield _constant(part.slice)
        elif isinstance(part, ast.Compare) and any(map(_is_environ, part.comparators)):
            named |= {id(c) for c in part.comparators}
            yield _constant(part.left)
        elif isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            of_environ = isinstance(part.func, ast.Attribute) and _is_environ(part.func.value)
            if name == "getenv" or (of_environ and name in {"get", "pop", "setdefault"}):
                named |= {id(part.func.value)} if isinstance(part.func, ast.Attribute) else set()
                yield _constant(part.args[0]) if part.args else None
    if any(_is_environ(part) and id(part) not in named for part in parts):
        yield None


def _is_environ(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr in {"environ", "environb"}) or (
        isinstance(node, ast.Name) and node.id in {"environ", "environb"}
    )


def _constant(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


_OPENS = {"open", "read_text", "read_bytes", "loadtxt", "genfromtxt", "fromfile", "memmap", "imread", "read_csv"}
_LOADERS = {"np", "numpy", "torch", "joblib", "sio"}  # whose `load` takes the name of a file


def _files(parts: Sequence[ast.AST]) -> tuple[str, ...] | None:
    """The texts of a function that opens files, among which their names are; None where it opens none."""
    for part in parts:
        function = part.func if isinstance(part, ast.Call) else None
        if isinstance(function, ast.Name) and function.id in _OPENS:
            break
        if isinstance(function, ast.Attribute):
            base = function.value.id if isinstance(function.value, ast.Name) else ""
            if function.attr in _OPENS or (function.attr == "load" and base in _LOADERS):
                break
    else:
        return None
    return tuple(dict.fromkeys(p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)))


def _words_of_errors(node: Function) -> str:
    """SHA-256 of what is raised, words included."""
    raised = [ast.dump(part) for part in ast.walk(node) if isinstance(part, ast.Raise)]
    return sha256("\0".join(raised).encode("utf-8", "surrogatepass")).hexdigest() if raised else ""


def _reads_errors(node: Function) -> bool:
    """Whether a caught error is used for more than to raise another."""
    for handler in ast.walk(node):
        if isinstance(handler, ast.ExceptHandler) and handler.name:
            raised = {id(n) for part in ast.walk(handler) if isinstance(part, ast.Raise) for n in ast.walk(part)}
            for part in ast.walk(handler):
                if isinstance(part, ast.Name) and part.id == handler.name and id(part) not in raised:
                    return True
    return False


@cache
def has_file(file: str) -> bool:
    """Whether code has a file, unlike what is written at run time."""
    return Path(file).is_file()


def _is_of_file(code: CodeType) -> bool:
    """Whether code is what its file comes to when it is compiled now."""
    return _code_digest(code) in _compiled(code.co_filename)


def _rewritten(function: FunctionType) -> bool:
    """Whether pytest wrote the assertions of a module of tests anew, so that its code is not that of its file."""
    return type(function.__globals__.get("__loader__")).__name__ == "AssertionRewritingHook"


@cache
def _compiled(file: str) -> frozenset[str]:
    """Digests of all code of a file."""
    found, waiting = set(), [compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        found.add(_code_digest(code))
        waiting += [c for c in code.co_consts if isinstance(c, CodeType)]
    return frozenset(found)


def _code_digest(code: CodeType) -> str:
    """What a code object does, where it stands apart."""
    return sha256("\0".join(_in_words(code)).encode("utf-8", "surrogatepass")).hexdigest()


def _in_words(code: CodeType) -> Iterator[str]:
    yield from (code.co_qualname, str(code.co_firstlineno), code.co_code.hex(), repr(code.co_names))
    yield repr((code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount, code.co_flags))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _in_words(constant)
        else:
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)
