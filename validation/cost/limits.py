"""What a check may cost: seconds, digits and memory. Beyond them, or where it raises, there is a reason and no verdict.

A measure or an exact check is a person's code and may loop, exit, raise, or square a number until it fills the memory.
`contained` runs such a function in a forked child under the limits that `within` sets:

    with contained(lambda x: recheck(bound, exact, x), passes=(UndefinedError,)) as decide:
        decide(instance)   # the result, an exception of `passes`, or `NoAnswerError` with its reason

`rechecking` does the same for all that is asked through `limited` inside it, whatever functions that are.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, OperationsError
from theory.exact.quick import as_quick, quicken
from validation.cost.allowed import PATIENCE, Limits
from validation.cost.child import FORKS, Child, EndedError

__all__ = [
    "Contained",
    "Limits",
    "NoAnswerError",
    "announce",
    "contained",
    "current",
    "foresee",
    "limited",
    "reason",
    "rechecking",
    "within",
]

__judges__ = "no"

Question = TypeVar("Question")
Answer = TypeVar("Answer")
_Key: TypeAlias = tuple[int, ...]
Said: TypeAlias = tuple[str, Any, float]  # kind of answer, what it is, and seconds counted in operations
_Asked: TypeAlias = tuple[Limits, tuple[type[Exception], ...], Any]  # limits, exceptions of `passes`, the question

_GLANCE = 0.05  # seconds between two looks at the child's memory
_TOGETHER = 10  # all rechecks of one certification may take as long as so many of the longest
_A_SECOND = 250_000  # operations on short numbers, about as many as Python does in a second


class NoAnswerError(Exception):
    """A check that gave no answer; the text is the reason, to stand after `inconclusive`."""


_LIMITS: ContextVar[Limits] = ContextVar("limits")


def current() -> Limits:
    """The limits in force: those of the innermost `within`, else the defaults."""
    return _LIMITS.get(Limits())


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """Put limits in force for what runs inside."""
    token = _LIMITS.set(limits)
    try:
        yield
    finally:
        _LIMITS.reset(token)


def reason(error: BaseException) -> str:
    """«the check raised ValueError: … (file.py, line 3)», in one line, whatever the exception holds.

    >>> reason(SystemExit(0))
    'the check raised SystemExit: 0'
    """
    try:
        words = " ".join(str(error).split())
    except Exception:  # a message that cannot be made is none
        words = ""
    words = words.encode("utf-8", "backslashreplace").decode()
    words = words if len(words) <= 200 else words[:199] + "…"
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename.rpartition('/')[2]}, line {frames[-1].lineno})" if frames else ""
    return f"the check raised {type(error).__name__}{': ' if words else ''}{words}{place}"


@contextmanager
def contained(
    check: Callable[[Question], Answer], *, passes: tuple[type[Exception], ...] = ()
) -> Iterator[Contained[Question, Answer]]:
    """`check` as a function that costs no more than the limits allow; its child lives as long as the block.

    Questions, answers and exceptions of `passes` are pickled. Every other exception, `SystemExit` among them, becomes
    an `NoAnswerError`, and so does a recheck beyond the limits. Where the system cannot fork, the function runs in
    this process, bounded in digits by what it makes of them, not in time or memory.
    """
    made = Contained(check, passes, current())
    try:
        yield made
    finally:
        made.close()


@contextmanager
def rechecking(*passes: type[Exception], anew: bool = False) -> Iterator[None]:
    """One child for every check that `limited` asks inside; `passes` as in `contained`. The outermost counts.

    `anew`: under the limits in force now and with its own exceptions, all the same; the child is that of the outermost.
    """
    outer = _CHECKS.get()
    if outer is not None and not anew:
        yield
        return
    checks = _Checks(passes, outer)
    token = _CHECKS.set(checks)
    try:
        yield
    finally:
        _CHECKS.reset(token)
        if outer is None:
            checks.contained.close()


def limited(check: Callable[..., Answer], about: tuple[object, ...], question: object) -> Answer:
    """check(*about, question) under the limits of `rechecking`, where that is open; else as it is.

    `about` is what cannot be pickled: what a check is about is known to the child from its birth, so something new
    brings a new child. Raises `NoAnswerError` as `contained` does.
    """
    checks = _CHECKS.get()
    return check(*about, question) if checks is None else checks.answer(check, about, question)


def announce(check: Callable[..., object], *abouts: tuple[object, ...]) -> None:
    """Say what `limited` will be asked about with this check, so that one child knows all; others stay possible."""
    foresee(*(_known_with(check, about) for about in abouts))


def foresee(*abouts: tuple[object, ...]) -> None:
    """Say what `limited` may be asked about, with any function of a module; others stay possible."""
    checks = _CHECKS.get()
    if checks is not None:
        checks.learn(abouts)


class _Checks:
    """What a child knows by its number: what checks are about, and checks that have no name in a module.

    Those inside others share what is known, and the child, with them.
    """

    def __init__(self, passes: tuple[type[Exception], ...], outer: _Checks | None) -> None:
        self.known: dict[_Key, tuple[Any, ...]] = {} if outer is None else outer.known
        place = None if outer is None else outer.contained.place
        self.contained: Contained[tuple[Callable[..., Any] | None, _Key, object], Any] = Contained(
            self._check, passes, current(), place
        )

    def _check(self, numbered: tuple[Callable[..., Any] | None, _Key, object]) -> Any:
        _CHECKS.set(None)  # in the child nobody else is asked
        check, key, question = numbered
        about = self.known[key]
        return check(*about, question) if check is not None else about[0](*about[1:], question)

    def learn(self, abouts: Iterable[tuple[object, ...]]) -> None:
        new = {_key(about): about for about in abouts}
        if not new.keys() <= self.known.keys():
            self.known |= new  # kept, so that no other object gets its id
            self.contained.close()

    def answer(self, check: Callable[..., Answer], about: tuple[object, ...], question: object) -> Answer:
        whole = _known_with(check, about)
        self.learn([whole])
        found: Answer = self.contained((check if whole is about else None, _key(whole), question))
        return found


def _known_with(check: Callable[..., Any], about: tuple[object, ...]) -> tuple[object, ...]:
    """What a child has to know beforehand: a function of a module is sent by its name, any other is known, too."""
    module = sys.modules.get(getattr(check, "__module__", None) or "")
    return about if getattr(module, getattr(check, "__qualname__", ""), None) is check else (check, *about)


def _key(about: tuple[object, ...]) -> _Key:
    return tuple(map(id, about))


_CHECKS: ContextVar[_Checks | None] = ContextVar("checks", default=None)


@dataclass
class _Place:
    """Where those that share a child have it."""

    child: Child[_Asked, Said] | None = None


class Contained(Generic[Question, Answer]):
    """See `contained`. The child is forked at the first question, and again after one that had to be ended.

    `place`: of a child that others ask, too; limits and exceptions go with each question.
    """

    def __init__(
        self,
        check: Callable[[Question], Answer],
        passes: tuple[type[Exception], ...],
        limits: Limits,
        place: _Place | None = None,
    ) -> None:
        self.check, self.passes, self.limits = check, passes, limits
        self.spent = 0.0
        self.place = place or _Place()

    def __call__(self, question: Question) -> Answer:
        """The check's result; raises `NoAnswerError` with the reason where it has none, and what `passes` names."""
        limits = self.limits
        if self.spent > _TOGETHER * limits.recheck_seconds:
            raise NoAnswerError(f"rechecks beyond {_TOGETHER * limits.recheck_seconds:g} seconds together")
        seconds = limits.recheck_seconds  # unless it says how many
        try:
            kind, value, seconds = self._ask(question) if FORKS else self._answer(question)
        except EndedError as error:
            self.close()
            raise NoAnswerError(f"the check {error}") from None
        except BaseException:
            self.close()
            raise
        finally:
            self.spent += seconds
        if kind == "undecided":
            raise NoAnswerError(value)
        if kind == "passes":
            raise value
        found: Answer = value
        return found

    def _ask(self, question: Question) -> Said:
        limits = self.limits
        if self.place.child is None:
            self.place.child = Child(self._counted)
        child = self.place.child
        begun = child.clock()
        child.ask((limits, self.passes, question))
        while not child.waits(_GLANCE):
            if child.clock() - begun > limits.patience:
                raise NoAnswerError(f"recheck beyond {limits.patience:g} seconds by the clock")
            if child.grown() > limits.memory:
                raise NoAnswerError(f"recheck beyond {limits.memory / 2**30:.3g} GiB of memory")
        kind, value, seconds = child.answer()
        return kind, value, max(seconds, (child.clock() - begun) / PATIENCE)

    def _counted(self, asked: _Asked) -> Said:
        self.limits, self.passes, question = asked
        quicken()
        kind, value, seconds = self._answer(as_quick(question))
        return kind, value if kind != "passes" else _sendable(value, self.passes), seconds

    def _answer(self, question: Question) -> Said:
        limits = self.limits
        with at_most_digits(limits.digits), at_most_operations(limits.recheck_seconds * _A_SECOND) as count:
            kind, value = self._found(question)
        return kind, value, count.done / _A_SECOND

    def _found(self, question: Question) -> tuple[str, Any]:
        try:
            return "found", self.check(question)
        except DigitsError:
            return "undecided", f"recheck beyond {self.limits.digits:,} digits"
        except OperationsError:
            return "undecided", f"recheck beyond {self.limits.recheck_seconds:g} seconds"
        except self.passes as error:
            return "passes", error
        except NoAnswerError as error:
            return "undecided", str(error)
        except BaseException as error:
            if not FORKS and isinstance(error, KeyboardInterrupt):
                raise
            return "undecided", reason(error)

    def close(self) -> None:
        """End the child, if there is one."""
        if self.place.child is not None:
            self.place.child.end()
            self.place.child = None


def _sendable(error: Exception, kinds: tuple[type[Exception], ...]) -> Exception:
    """The exception, or one of the kind it is of with its words, where pickling would lose or break it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever its class does when it is made again
        return next(kind for kind in kinds if isinstance(error, kind))(str(error))
    return error
