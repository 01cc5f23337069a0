"""The page that shows a dataset in the browser, in notebooks and scripts."""

from __future__ import annotations

import atexit
import html
from types import TracebackType
from typing import TYPE_CHECKING

from . import _core
from ._errors import TacoValidationError

if TYPE_CHECKING:
    from ._dataset import TacoDataset

#: Servers that run: a notebook shows their pages although nothing refers to them any more.
_running: set[DatasetViewer] = set()


class DatasetViewer:
    """A page that shows a dataset in the browser, served on this machine (127.0.0.1) until it is closed.

    Notebooks show it as the result of a cell; elsewhere, open :attr:`url`. It ends with the process.

    Example:
        >>> with dataset.view() as viewer:
        ...     webbrowser.open(viewer.url)
        ...     input("Enter ends")
    """

    def __init__(self, dataset: TacoDataset, port: int, height: int) -> None:
        if not 0 <= port <= 65535:
            raise TacoValidationError(f"view: the port is {port}, 0 to 65535 expected")
        self._server = _core.Viewer(dataset._core, port)
        self._height = height
        self._is_closed = False
        _running.add(self)

    @property
    def url(self) -> str:
        """URL of the page, with the token that it needs: whoever has it can read the dataset on this machine."""
        return self._server.url

    def close(self) -> None:
        """Ends the server. The page shows what it has read, and can read no more."""
        self._server.close()
        self._is_closed = True
        _running.discard(self)

    def __enter__(self) -> DatasetViewer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<DatasetViewer {'(closed)' if self._is_closed else self.url}>"

    def _repr_html_(self) -> str:
        if self._is_closed:
            return "<pre>This viewer is closed.</pre>"
        return (
            f'<iframe src="{html.escape(self.url)}" title="Dataset" width="100%" height="{self._height}" '
            'style="border: 1px solid #8888" allow="clipboard-write; fullscreen"></iframe>'
        )


@atexit.register
def _close_all() -> None:
    for viewer in list(_running):
        viewer.close()
