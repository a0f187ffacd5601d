"""Measure quality: `make eval` runs every `*_eval.py` of this folder, each in a process of its own.

They measure on the project's own sets; EVAL_DATA=<folder> adds others.
"""

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run all; returns 1 when one failed."""
    failed = []
    for script in sorted(Path(__file__).parent.glob("*_eval.py")):
        print(f"\n== {script.stem.removesuffix('_eval')} ==", flush=True)
        if subprocess.run([sys.executable, script], check=False).returncode:  # noqa: S603 - ours
            failed.append(script.name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
