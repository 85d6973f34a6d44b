"""Rest: how the Local REST API is spoken to; `rest_vault` is the vault behind it."""
