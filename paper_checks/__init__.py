"""The papers, one folder each: everything of a paper lives in its folder and nowhere else."""
