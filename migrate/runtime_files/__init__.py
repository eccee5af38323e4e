"""Where programs find the runtime package ``tf2_recovery``: which of its files each needs, and where they stand."""
