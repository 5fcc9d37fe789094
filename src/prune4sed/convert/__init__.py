"""One graph of another library to one Graph and back: networkx, PyTorch Geometric, rdkit.

These sit beside Graph, whose named constructors use them; files of many graphs are the business of `formats`.
"""
