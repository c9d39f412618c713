"""The pages: controls, settings, job, drawing; no arithmetic."""
