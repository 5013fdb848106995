"""The report: every verdict with its evidence, and the rules convex and deep, as pages that open from disk."""

from validation.report.site import Report, render, render_single

__all__ = ["Report", "render", "render_single"]
