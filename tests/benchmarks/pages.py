"""What a browser's main thread takes to load pages of a report: python -m tests.benchmarks.pages FILE…

Chromium over its debugging pipe, `Performance.getMetrics` in the time domain of thread ticks, so that a busy machine
does not show; the least of three loads of each page.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SHOWN = ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


class Browser:
    """A headless Chromium that is spoken to by messages ending in a zero byte."""

    def __init__(self, program: str, home: str) -> None:
        reads, self.out = os.pipe()
        self.into, writes = os.pipe()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={home}",
                   "--remote-debugging-pipe", "about:blank"]  # fmt: skip

        def placed() -> None:
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(command, preexec_fn=placed, pass_fds=(3, 4), stderr=subprocess.DEVNULL)  # noqa: PLW1509
        self.number, self.rest = count(1), b""

    def ask(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """The result of a command; events before it are skipped."""
        own = next(self.number)
        message = {"id": own, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return self.until(lambda said: said.get("id") == own).get("result", {})

    def until(self, wanted: Any) -> dict[str, Any]:
        """The first message that is wanted."""
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.into, 1 << 16)
            one, _, self.rest = self.rest.partition(b"\0")
            said: dict[str, Any] = json.loads(one)
            if wanted(said):
                return said


def load(browser: Browser, page: Path) -> dict[str, float]:
    """Seconds of the main thread from an empty tab to one second after the load event."""
    target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
    session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.ask("Performance.enable", session, timeDomain="threadTicks")
    browser.ask("Page.enable", session)
    browser.ask("Page.navigate", session, url=page.resolve().as_uri())
    browser.until(lambda said: said.get("method") == "Page.loadEventFired")
    browser.ask("Runtime.evaluate", session, expression="new Promise(r => setTimeout(r, 1000))", awaitPromise=True)
    metrics = {m["name"]: m["value"] for m in browser.ask("Performance.getMetrics", session)["metrics"]}
    browser.ask("Target.closeTarget", targetId=target)
    return {name: metrics[name] for name in SHOWN}


def main(pages: list[str]) -> None:
    """A line for each page."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("no chromium here")
    with TemporaryDirectory() as home:
        browser = Browser(program, home)
        try:
            for page in pages:
                found = min((load(browser, Path(page)) for _ in range(3)), key=lambda m: m["TaskDuration"])
                print(f"{page}: " + ", ".join(f"{name} {value:.3f} s" for name, value in found.items()), flush=True)
        finally:
            browser.process.terminate()
            browser.process.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
