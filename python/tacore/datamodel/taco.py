"""Tacos and their extensions."""

from ._builtin import (
    SUPPORTED_SENSORS,
    LabelClass,
    Labels,
    OpticalData,
    Publication,
    Publications,
    RaiStatement,
    SpectralBand,
    SplitStrategy,
    SplitStrategyType,
)
from ._extension import TacoExtension
from ._taco import Contact, Curator, Extent, Provider, Taco, TaskType

__all__ = [
    "SUPPORTED_SENSORS",
    "Contact",
    "Curator",
    "Extent",
    "LabelClass",
    "Labels",
    "OpticalData",
    "Provider",
    "Publication",
    "Publications",
    "RaiStatement",
    "SpectralBand",
    "SplitStrategy",
    "SplitStrategyType",
    "Taco",
    "TacoExtension",
    "TaskType",
]
