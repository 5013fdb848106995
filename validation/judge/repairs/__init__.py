"""What is asked after a search: dimensions, symmetries, edits and conditions that restore a statement."""
