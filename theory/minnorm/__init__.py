"""The point of least norm in the hull of the clients' updates, as a quadratic program on their Gram matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from theory.minnorm.convex import convex
    from theory.minnorm.faces import enumerate_faces
    from theory.minnorm.frank_wolfe import frank_wolfe
    from theory.minnorm.lockstep import lockstep
    from theory.minnorm.point import Certificate, MinNormPoint, certificate, certify
    from theory.minnorm.solve import min_norm_point

__all__ = [
    "Certificate",
    "MinNormPoint",
    "certificate",
    "certify",
    "convex",
    "enumerate_faces",
    "frank_wolfe",
    "lockstep",
    "min_norm_point",
]

__getattr__ = lazily(__name__, __file__)
