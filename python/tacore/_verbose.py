"""Log messages of tacore, by the logger "tacore"."""

from __future__ import annotations

import logging

from . import _core

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING)
_logger = logging.getLogger("tacore")
_handler: logging.Handler | None = None


def verbose(level: bool | str = True) -> None:
    """Sets the log level of tacore for the whole process (specification, 7.1.5 and 7.2.6).

    Messages are sent to the logger "tacore", and after the first call also to stderr. Before the first call only
    warnings are logged.

    Args:
        level: True or "info": files, backends and queries; "debug": also SQL, offsets and HTTP requests; False:
            nothing, also no warnings and no progress bars.

    Raises:
        ValueError: The level has another value.

    Example:
        >>> tacore.verbose("debug")
    """
    global _handler
    if level is not True and level is not False and level not in ("info", "debug"):
        raise ValueError(f'Invalid verbose level {level!r}; True, "info", "debug" or False is expected')
    _core.verbose(level)
    if _handler is None:
        _handler = logging.StreamHandler()
        _handler.setFormatter(logging.Formatter("%(levelname)s [%(name)s] %(message)s"))
        _logger.addHandler(_handler)
        _logger.propagate = False
    _logger.setLevel(_logger_level(level))


def _logger_level(level: bool | str) -> int:
    if level is False:
        return logging.CRITICAL + 1
    return logging.DEBUG if level == "debug" else logging.INFO


def _send(level: int, message: str) -> None:
    _logger.log(_LEVELS[level], message)


_core.set_log_sink(_send)
