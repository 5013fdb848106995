"""What is observed on instances of common worlds, once fast over a batch of instances and once plainly and exactly.

Nothing here knows a statement: a world observes quantities by name, and a claim says something about these.
"""
