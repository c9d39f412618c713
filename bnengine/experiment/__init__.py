"""Settings, the paper's experiments, generated code, warm-up."""
