"""Where each page lies: a folder of pages, each link relative so that it opens from disk, or one file of sections."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Links"]


@dataclass(frozen=True)
class Links:
    """Addresses as seen from one page: `up` leads to the folder's top; `single`: the claims that one file holds."""

    up: str = ""
    single: frozenset[str] = frozenset()

    def has(self, anchor: str) -> bool:
        """Whether there is a page of this claim."""
        return not self.single or anchor in self.single

    def page(self, name: str) -> str:
        """A page at the top, such as `index` or `engine`."""
        return f"#{name}" if self.single else f"{self.up}{name}.html"

    def paper(self, key: str) -> str:
        """Link to a paper's page."""
        return self.page(f"paper-{key}")

    def tables(self, key: str) -> str:
        """Link to the page of a paper's printed tables."""
        return self.page(f"tables-{key}")

    def table(self, key: str, name: str) -> str:
        """Link to one printed table."""
        return f"#table-{key}-{name}" if self.single else f"{self.tables(key)}#table-{key}-{name}"

    def claim(self, anchor: str) -> str:
        """Link to a claim's page, or to its place where all is one file."""
        return f"#{anchor}" if self.single else f"{self.up}claims/{anchor}.html"

    def file(self, path: str) -> str:
        """A file to download; '' in a single file, which has none beside it."""
        return "" if self.single else f"{self.up}{path}"
