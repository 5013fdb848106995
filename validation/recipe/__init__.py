"""Published numbers beside ours: recipes of tables and figures, their units of work, results, and the comparison."""
