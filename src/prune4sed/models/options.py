"""Hyperparameters: frozen dataclasses of plain values that know what may stand in them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self

from prune4sed.errors import OptionError

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """Base of all hyperparameters. Whole numbers are at least 1, save those that `at_least` names."""

    #: What options that came later are in checkpoints written before.
    before: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        for field in fields(self):
            self._check(field.name, field.default, getattr(self, field.name))

    def _check(self, name: str, default: Any, value: Any) -> None:
        if type(value) is not type(default):
            kind = {int: "a whole number", bool: "True or False", str: "a name"}[type(default)]
            raise OptionError(f"{name} must be {kind}, got {value!r}")
        if type(value) is int and value < self.at_least(name):
            raise OptionError(f"{name} must be {self.at_least(name)} or more, got {value}")
        names = self.choices(name)
        if type(value) is str and names and value not in names:
            raise OptionError(f"{name} must be one of {', '.join(names)}; got {value!r}")

    def at_least(self, name: str) -> int:
        """The least value of a whole number."""
        return 1

    def choices(self, name: str) -> tuple[str, ...]:
        """What a name may be."""
        return ()

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """Options from their names and values.

        Raises
        ------
        OptionError
            If there is no such option, or a value is not allowed.
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                # A preset may have chosen the model, so the name is told.
                there = f"{', '.join(known)} for {cls.__name__.removesuffix('Options')}"
                raise OptionError(f"there is no option {name!r}; there are {there}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Names and values."""
        return asdict(self)
