"""The message archive behind this server's doors: where it is, how it is opened, how it answers."""
