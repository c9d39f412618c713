"""Tests of the engine; ``naive`` holds slow, obvious oracles."""
