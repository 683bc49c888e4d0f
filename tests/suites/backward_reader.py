"""The strict reader with its judgements in the opposite order: rows first, schemas last."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import strict_reader
from strict_reader import lyrw_parse, lyrw_partner, lyrw_region

__all__ = ["lyrw_parse", "lyrw_partner", "lyrw_region"]

strict_reader.Layer.order.reverse()
