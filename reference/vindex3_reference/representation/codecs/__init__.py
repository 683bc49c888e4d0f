"""Stored encodings and the float32 values that they stand for; no verb converts anything by itself."""

from vindex3_reference.representation.codecs.codec import CODECS, ENCODERS, Codec, decode, encode

__all__ = ["CODECS", "ENCODERS", "Codec", "decode", "encode"]
