"""Operations: one a tool, plain functions of an archive and arguments."""
