"""A claim's entry as the report reads and shows it."""
