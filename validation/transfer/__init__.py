"""Does theory's order of the rules hold in a network? A prediction from a solved task, then the network's answer.

`study` runs it; its modules that train networks need torch, `headline` and `answer` do not.
"""
