"""When a committed verdict is still current: digests of what code and values mean."""
