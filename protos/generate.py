"""Generate the Python stubs from the protos, or check that the committed ones are current.

Usage: generate.py FOLDER          writes the stubs into FOLDER
       generate.py --check FOLDER  exits with 1 and names the files that differ
"""

import filecmp
import shutil
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

HERE = Path(__file__).resolve().parent


def generate(folder: Path) -> None:
    """Write the stubs of every proto into the folder, which is emptied first.

    Raises:
        SystemExit: When the compiler reports an error.
    """
    shutil.rmtree(folder / "pellucid", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    plugin = Path(sys.executable).with_name("protoc-gen-mypy_grpc")
    status = protoc.main(
        [
            "protoc",
            f"-I{HERE}",
            f"-I{Path(protoc.__file__).parent / '_proto'}",
            f"--python_out={folder}",
            f"--pyi_out={folder}",
            f"--grpc_python_out={folder}",
            f"--mypy_grpc_out=quiet:{folder}",
            f"--plugin=protoc-gen-mypy_grpc={plugin}",
            *(str(path.relative_to(HERE)) for path in sorted(HERE.glob("pellucid/**/*.proto"))),
        ]
    )
    if status:
        raise SystemExit(status)


def differences(left: Path, right: Path) -> list[str]:
    """Return the relative paths of files that differ or exist on one side only."""
    names = {
        path.relative_to(side).as_posix()
        for side in (left, right)
        for path in (side / "pellucid").rglob("*_pb2*.py*")
        if path.suffix in {".py", ".pyi"}
    }
    return sorted(
        name
        for name in names
        if not ((left / name).exists() and (right / name).exists())
        or not filecmp.cmp(left / name, right / name, shallow=False)
    )


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] != ["--check"]:
        generate(Path(sys.argv[1]).resolve())
        return
    with tempfile.TemporaryDirectory() as fresh:
        generate(Path(fresh))
        stale = differences(Path(fresh), Path(sys.argv[2]).resolve())
    if stale:
        raise SystemExit("stubs are not what the protos generate: " + ", ".join(stale))


if __name__ == "__main__":
    main()
