"""An algorithm with one sign turned in its very source, for tests that must see it."""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["planted"]


def planted(module: str, right: str, wrong: str) -> Any:
    """The module with `wrong` in the one place where its source says `right`."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    code = source.split('"""', 2)[2]  # what the first line of the docstring says is no code
    assert code.count(right) == 1, (module, right, code.count(right))
    name = f"planted_{sha256(f'{module} {right} {wrong}'.encode()).hexdigest()[:12]}"
    made = ModuleType(name)
    sys.modules[name] = made  # dataclasses look their module up
    exec(compile(code.replace(right, wrong), spec.origin, "exec"), made.__dict__)
    return made
