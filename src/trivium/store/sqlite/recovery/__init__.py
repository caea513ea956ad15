"""Backups, finding out what is wrong, and making a sound store from whatever copies are left."""

from trivium.store.sqlite.recovery.examine import Finding, check
from trivium.store.sqlite.recovery.restore import RecoveryReport, recover

__all__ = ["Finding", "RecoveryReport", "check", "recover"]
