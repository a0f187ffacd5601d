"""Entry point: `python -m pellucid_search.providers_cli`."""

import sys

from pellucid_search.adapters.provider_commands import main

if __name__ == "__main__":
    sys.exit(main())
