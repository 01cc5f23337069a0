"""Messages of the library, on the logger `tacore`."""

from __future__ import annotations

import logging

from . import _core

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING)
_logger = logging.getLogger("tacore")
_handler: logging.Handler | None = None


def verbose(level: bool | str = True) -> None:
    """Sets what tacore reports, for the whole process, until the next call (specification, 7.1.5 and 7.2.6).

    Messages go to the logger `tacore`, and from the first call on to stderr.

    Args:
        level: True or "info": files, backends and views; "debug": also SQL, offsets and requests; False: nothing at
            all, warnings and progress included. Before the first call warnings alone are reported.

    Raises:
        ValueError: For anything else.
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
