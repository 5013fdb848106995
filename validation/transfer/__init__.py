"""Does theory's order of the rules hold in a network? A prediction from a solved task, then the network's answer."""

from validation.transfer.controls import OracleWeights, Permuted
from validation.transfer.setting import Setting
from validation.transfer.study import study

__all__ = ["OracleWeights", "Permuted", "Setting", "study"]
