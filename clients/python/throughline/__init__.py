"""One continuous memory for chat assistants: the client of Throughline's HTTP API."""

from . import types
from .client import Memory, ThroughlineError, TurnStream

__all__ = ["Memory", "ThroughlineError", "TurnStream", "types"]
