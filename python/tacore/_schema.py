"""PIT schema: the tree that all samples of a dataset have in common (specification, section 5.5)."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from ._errors import TacoSchemaError

_TYPES = ("FILE", "FOLDER")


class PITSchema:
    """Position-Invariant Tree (PIT): the tree of children that all samples have in common. It is immutable.

    Args:
        schema: Content of `taco:pit_schema`: ``{"root": {"n": int, "type": str}, "hierarchy": {"1": [{"n": int, "type":
            [...], "id": [...]}]}}``.

    Raises:
        TacoSchemaError: The schema breaks a rule, which the message names.
    """

    __slots__ = ("_hierarchy", "_root")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        for name in ("root", "hierarchy"):
            if not isinstance(schema, Mapping) or name not in schema:
                raise TacoSchemaError(f"PIT schema: missing required field {name!r}")
            if not isinstance(schema[name], Mapping):
                raise TacoSchemaError(f"PIT schema: {name} is not an object")
        self._root: dict[str, Any] = copy.deepcopy(dict(schema["root"]))
        self._hierarchy: dict[str, list[dict[str, Any]]] = copy.deepcopy(dict(schema["hierarchy"]))
        if self._root.get("type") not in _TYPES:
            raise TacoSchemaError(f"PIT schema: Invalid root type {self._root.get('type')!r}; FILE or FOLDER expected")
        for depth, patterns in self._hierarchy.items():
            if not str(depth).isdigit():
                raise TacoSchemaError(f"PIT schema: depth {depth!r} of the hierarchy must be numeric")
            if not isinstance(patterns, list):
                raise TacoSchemaError(f"PIT schema: depth {depth} is not a list of patterns")
            for at, pattern in enumerate(patterns):
                _check_pattern(pattern, f"PIT schema: pattern {at} at depth {depth}")

    @property
    def root(self) -> dict[str, Any]:
        """Number and type of the samples of level 0: ``{"n": rows, "type": "FILE" | "FOLDER"}``; a copy."""
        return dict(self._root)

    @property
    def hierarchy(self) -> dict[str, list[dict[str, Any]]]:
        """Patterns of each level, by its number as text ("1", "2", ...); a copy."""
        return copy.deepcopy(self._hierarchy)

    def max_depth(self) -> int:
        """Number of the deepest level; 0 for a flat dataset."""
        return max((int(depth) for depth in self._hierarchy), default=0)

    def is_compatible(self, other: PITSchema) -> bool:
        """Whether both trees have the same root type, levels, types and ids, in order; each `n` is ignored."""
        return bool(self._shape() == other._shape())

    def with_n(self, n: int) -> PITSchema:
        """Returns a copy whose root has `n` rows."""
        return PITSchema({"root": {**self._root, "n": n}, "hierarchy": self._hierarchy})

    def to_dict(self) -> dict[str, Any]:
        """Returns the content of `taco:pit_schema` as a dict; a copy."""
        return {"root": self.root, "hierarchy": self.hierarchy}

    @classmethod
    def _parse(cls, text: str) -> PITSchema:
        return cls(json.loads(text))

    def _shape(self) -> Any:
        patterns = {
            int(depth): [(list(p["type"]), list(p["id"])) for p in patterns]
            for depth, patterns in self._hierarchy.items()
        }
        return self._root["type"], patterns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PITSchema) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(json.dumps(self.to_dict(), sort_keys=True))

    def __repr__(self) -> str:
        return f"PITSchema(root={self._root}, max_depth={self.max_depth()})"


def _check_pattern(pattern: Any, where: str) -> None:
    for key in ("type", "id"):
        if not isinstance(pattern, Mapping) or key not in pattern:
            raise TacoSchemaError(f"{where}: missing required field {key!r}")
        if not isinstance(pattern[key], (list, tuple)):
            raise TacoSchemaError(f"{where}: {key} is not an array")
        if not pattern[key]:
            raise TacoSchemaError(f"{where}: {key} array empty")
    types, ids = pattern["type"], pattern["id"]
    if len(types) != len(ids):
        raise TacoSchemaError(f"{where}: type and id arrays differ in length: {len(types)} and {len(ids)}")
    for name in types:
        if name not in _TYPES:
            raise TacoSchemaError(f"{where}: invalid type {name!r}; FILE or FOLDER expected")
