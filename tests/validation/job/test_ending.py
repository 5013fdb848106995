"""A signal that asks a command to end is heard where Python drops what its handler raises."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from validation.cost.ending import EndedBySignal, heed, listening
from validation.cost.limits import Limits
from validation.job.pool import spread

KINDS = [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, EndedBySignal), (signal.SIGHUP, EndedBySignal)]
dropped = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def plain_handlers() -> Iterator[None]:
    """The handlers that a process begins with, whatever runs these tests."""
    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler)}
    before |= {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Sends:
    """Sends a signal when it is destroyed, where what a handler raises is printed and ignored."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


@dropped
@pytest.mark.parametrize(("number", "error"), KINDS)
def test_what_was_dropped_is_raised_at_the_next_look(number: signal.Signals, error: type[BaseException]) -> None:
    with listening():
        heed()
        Sends(number)
        with pytest.raises(error):
            heed()
        with pytest.raises(error):  # and as long as the command goes on
            heed()
    heed()


@pytest.mark.parametrize(("number", "error"), KINDS)
def test_elsewhere_it_is_raised_at_once(number: signal.Signals, error: type[BaseException]) -> None:
    with listening(), pytest.raises(error):
        signal.raise_signal(number)


@dropped
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_work_that_is_spread_ends_with_a_signal_that_was_dropped(number: signal.Signals) -> None:
    found: list[int] = []

    def collect() -> None:
        for _, result in spread(range(20), abs, jobs=2, limits=Limits()):
            assert isinstance(result, int)
            found.append(result)
            Sends(number)

    with listening(), pytest.raises((KeyboardInterrupt, EndedBySignal)):
        collect()
    assert len(found) <= 2  # those that were done already


def test_a_signal_that_is_ignored_stays_so_and_handlers_come_back() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with listening():
        signal.raise_signal(signal.SIGHUP)
        heed()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
