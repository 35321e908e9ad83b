"""Writes a wheel: the PJRT plugin as a platform of JAX and of PyTorch/XLA, and the command `systolic`.

    make_wheel.py --version 0.1.0 --stage FOLDER --output FOLDER --platform manylinux_2_31_x86_64 --time SECONDS

The stage holds libraries/ (libsystolic_pjrt.so and those it needs) and the program systolic. The Python files come from
plugin/python. No part depends on Python's version: JAX loads the library through PJRT's C interface.
Format: PyPA's binary distribution format (wheel 1.0), core metadata 2.1, entry points.
"""

import argparse
import base64
import hashlib
import pathlib
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

METADATA = """Metadata-Version: 2.1
Name: systolic
Version: {version}
Summary: A software TPU for JAX and PyTorch/XLA: eight virtual TPU cores on the processor you have
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: jax
Requires-Dist: jax>=0.4.30; extra == "jax"
Description-Content-Type: text/markdown

{description}"""

WHEEL = """Wheel-Version: 1.0
Generator: systolic ({version})
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""

ENTRY_POINTS = """[console_scripts]
systolic = systolic_command:main

[jax_plugins]
systolic = jax_plugins.systolic

[torch_xla.plugins]
systolic = systolic_torch_xla:Plugin
"""

COMMAND = '''"""The command `systolic`: the program that lies beside this file."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "systolic"
    os.execv(program, [str(program), *sys.argv[1:]])
'''

DESCRIPTION = """# Systolic for JAX

    pip install systolic-*.whl "jax[cpu]"
    JAX_PLATFORMS=systolic python -c "import jax; print(jax.devices())"

JAX sees eight devices of the platform `systolic`: the virtual cores of a TPU v3-8 on this machine's processor.
`SYSTOLIC_TPU` names another slice, `SYSTOLIC_CORES` how many of its cores become devices. `systolic --help` shows the
command-line tool.
"""


def members(stage, version, platform):
    """(name in the wheel, bytes, whether it is a program) of all files but RECORD."""
    python = ROOT / "plugin" / "python"
    for package in ("jax_plugins", "systolic_torch_xla"):
        for file in sorted((python / package).rglob("*.py")):
            yield str(file.relative_to(python)), file.read_bytes(), False
    for file in sorted((stage / "libraries").iterdir()):
        yield f"jax_plugins/systolic/{file.name}", file.read_bytes(), False
    yield "systolic_command/__init__.py", COMMAND.encode(), False
    yield "systolic_command/systolic", (stage / "systolic").read_bytes(), True
    info = f"systolic-{version}.dist-info"
    yield f"{info}/METADATA", METADATA.format(version=version, description=DESCRIPTION).encode(), False
    yield f"{info}/WHEEL", WHEEL.format(version=version, platform=platform).encode(), False
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), False
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), False
    yield f"{info}/licenses/LICENCES-of-libraries.txt", (ROOT / "tools/package/licences.txt").read_bytes(), False


def entry(name, seconds, program):
    """The zip's header of a member: its time and mode are the same in each build of the same sources."""
    info = zipfile.ZipInfo(name, time.gmtime(max(seconds, 315532800))[:6])  # a zip's time begins in 1980
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100755 if program or ".so" in name else 0o100644) << 16
    return info


def write(path, stage, version, platform, seconds):
    record = []
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data, program in members(stage, version, platform):
            wheel.writestr(entry(name, seconds, program), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        name = f"systolic-{version}.dist-info/RECORD"
        wheel.writestr(entry(name, seconds, False), "\n".join([*record, f"{name},,", ""]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--stage", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--time", required=True, type=int)
    args = parser.parse_args()
    path = args.output / f"systolic-{args.version}-py3-none-{args.platform}.whl"
    write(path, args.stage, args.version, args.platform, args.time)
    print(path)


if __name__ == "__main__":
    main()
