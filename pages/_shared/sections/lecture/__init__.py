"""Lectures: lists of steps, and how one is presented."""
