"""Losses and metrics, and what trains the models."""
