"""YAML as frontmatter has it: read, written, and edited without touching the rest."""
