"""Seconds that an operation on the store of pages may take."""

from typing import Final

READ_S: Final = 0.030
WRITE_S: Final = 0.100
FILE_S: Final = 0.5  # a file on this machine is shared with nobody, and disks have their moments
