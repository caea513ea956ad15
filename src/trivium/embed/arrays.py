"""numpy, imported only when there is a batch to work on, and with one BLAS thread."""

from __future__ import annotations

import os
import sys
from types import ModuleType

# Starting a pool of threads doubles the processor time of the import, and waiting threads burn more than they save
# on matrices of this size.
_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def is_loaded() -> bool:
    """Whether somebody in this process has already paid for the import."""
    return "numpy" in sys.modules


def numpy() -> ModuleType:
    """The module; a number of threads that the user has set is kept, and the environment is left as it was."""
    if is_loaded():
        return sys.modules["numpy"]
    added = [name for name in _THREAD_VARIABLES if name not in os.environ]
    for name in added:
        os.environ[name] = "1"
    try:
        import numpy as module
    finally:
        for name in added:
            os.environ.pop(name, None)
    return module
