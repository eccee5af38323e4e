"""Rules for ``RunConfig`` and its settings."""
