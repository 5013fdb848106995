"""Commands that list what there is: rules, algorithms."""
