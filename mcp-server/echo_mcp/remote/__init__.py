"""Remote: what a client sees of a deployment, looked at from outside."""
