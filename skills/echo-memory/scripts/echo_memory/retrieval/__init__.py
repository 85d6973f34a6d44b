"""Retrieval: words, passages, dates, and the scores that they give."""
