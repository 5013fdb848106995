"""Everything once more in exact arithmetic, written plainly: what the array versions are tested against."""
