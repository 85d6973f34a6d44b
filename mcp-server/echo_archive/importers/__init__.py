"""One importer for each kind of export: a path in, records out."""
