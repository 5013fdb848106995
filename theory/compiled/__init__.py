"""Compiled rounds of the convex simulator: the same numbers to rounding, where a C compiler was there at installation.

Without the library everything runs on the NumPy reference. `FEDVERDICT_KERNELS=0` in the environment leaves it out.
"""
