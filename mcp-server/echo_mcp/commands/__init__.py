"""Commands: what `echo-mcp` can do, each in a module of its own that `__main__` loads by name."""
