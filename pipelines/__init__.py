"""Moves data: where files come from, where they go, what runs when."""
