"""What all of theory rests on: arrays, random streams, files, text of calls, parts of one's own, checks of settings."""
