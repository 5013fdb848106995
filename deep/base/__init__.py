"""What all of deep rests on: names, devices, memory, clocks, locks, tensor files, teams of processes."""
