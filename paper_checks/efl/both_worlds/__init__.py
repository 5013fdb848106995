"""EFL as a system, convex and deep: `python -m paper_checks.efl.both_worlds`; checking claims imports nothing of it."""
