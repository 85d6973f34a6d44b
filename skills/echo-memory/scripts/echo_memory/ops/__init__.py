"""Operations: one family a module; each answers with an envelope or raises an EchoError."""
