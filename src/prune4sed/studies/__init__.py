"""The tables and figures of the paper, one file each, and what they show beyond it."""
