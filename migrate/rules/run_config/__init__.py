"""``RunConfig`` and its settings."""
