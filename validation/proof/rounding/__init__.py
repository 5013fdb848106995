"""From floats of a solver to exact numbers: linear algebra, recognised numbers, faces, refinement, sharp ranges."""
