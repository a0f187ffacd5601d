"""Whether this process may still open files and connections.

Without descriptors a call that comes in over an open connection fails at whatever it opens next,
in a different way in each place. So the process says that it is not ready and refuses calls until
there are some again; what is in progress goes on with what it has.
"""

import asyncio
import errno
import os
from contextlib import ExitStack
from typing import Final

from pellucid_runtime.health import Health

COMPONENT: Final = "descriptors"
# A call opens a connection or two beside a file; fewer are none.
_LEAST_FREE: Final = 4
_PERIOD_S: Final = 0.25
_NONE_LEFT: Final = frozenset({errno.EMFILE, errno.ENFILE})


def are_free() -> bool:
    """Whether a handful of descriptors can be had at this moment.

    Raises:
        OSError: Nothing can be opened, for another reason.
    """
    with ExitStack() as opened:
        try:
            for _ in range(_LEAST_FREE):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            if error.errno not in _NONE_LEFT:
                raise
            return False
    return True


async def watch_descriptors(health: Health) -> None:
    """Keep the component true, for as long as the service runs."""
    while True:
        free = are_free()
        if free != health.components.get(COMPONENT, True):
            health.set_component(COMPONENT, ready=free)
        await asyncio.sleep(_PERIOD_S)
