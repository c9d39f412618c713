"""Background work, its progress and how it is stopped."""
