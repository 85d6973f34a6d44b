"""The tools: each a signature, a description for the model, and one call of an operation."""
