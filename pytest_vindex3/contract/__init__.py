"""The contract: what an implementation is asked, what it may answer, and through which door.

Nothing here imports another package of this distribution.
"""
