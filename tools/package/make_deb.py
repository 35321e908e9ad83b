"""Writes the Debian package of what lies installed below --root: control files, changelog, copyright, then dpkg-deb.

    make_deb.py --root FOLDER --version 0.1.0 --output FOLDER --time SECONDS

Its dependencies are those that dpkg-shlibdeps finds for the programs, and the headers' packages that find_package(systolic)
asks for. Format: Debian policy 4.6, chapters 5 (control) and 12 (documentation).
"""

import argparse
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

CONTROL = """Package: systolic
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Section: devel
Priority: optional
Description: training neural networks on TPUs from C++
 Models, datasets and training loops as Keras and tf.data have them, in C++20.
 The same program runs on a TPU, on a GPU, and on a software TPU: eight virtual
 cores on the processor of this machine.
 .
 This package has the headers, the libraries, the command systolic, and the
 software TPU as a PJRT plugin for JAX.
"""

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: systolic

Files: *
Copyright: 2026 Systolic developers
License: Apache-2.0
 On Debian systems the text of the licence is in
 /usr/share/common-licenses/Apache-2.0.
"""

# Where lintian's rules are broken on purpose, and why.
OVERRIDES = """# The program that reads HDF5, which lies inside as bytes and runs in a process of its own, is linked
# with libhdf5 and zlib: it must read untrusted files without the thirty libraries of libhdf5's shared form.
systolic: embedded-library zlib *
"""

# What find_package(systolic) finds, and by what programs that link it are made: always, and where programs of the package
# need a shared library, or the package has an archive.
HEADERS = ["g++ | c++-compiler", "cmake", "zlib1g-dev", "libhwy-dev", "libjpeg-dev", "libpng-dev", "libwebp-dev",
           "libonig-dev"]
OPTIONAL_HEADERS = {"libcurl.so": ["libcurl4-openssl-dev", "libssl-dev"], "libgloo.so": ["libgloo-dev"],
                    "libsystolic_coordination_messages.a": ["libgrpc++-dev", "libprotobuf-dev", "protobuf-compiler-grpc", "pkg-config"],
                    "libcpp-httplib.so": ["libcpp-httplib-dev", "pkg-config"]}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def programs(root):
    return [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()
            and (".so" in path.name or path.parent.name == "bin")]


def maintainer():
    """Who makes the package: as Debian's own tools find out, by DEBFULLNAME and DEBEMAIL, else as git knows them."""
    def known(variable, setting):
        found = os.environ.get(variable) or subprocess.run(
            ["git", "config", setting], capture_output=True, text=True, check=False).stdout.strip()
        return found or sys.exit(f"the package needs a maintainer: set {variable}, or git config {setting}")
    return f"{known('DEBFULLNAME', 'user.name')} <{known('DEBEMAIL', 'user.email')}>"


def arrange(root):
    """Where Debian has things: private libraries apart, documentation compressed, nothing unstripped."""
    for path in programs(root):
        path.chmod(0o755 if path.parent.name == "bin" else 0o644)
        run("strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", str(path))
    for archive in root.rglob("*.a"):
        run("strip", "--strip-debug", "--enable-deterministic-archives", str(archive))
    for license in root.rglob("LICENSE"):  # the text that each Debian system has already
        license.unlink()


def write_documents(root, version, seconds):
    folder = root / "usr/share/doc/systolic"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "copyright").write_text(COPYRIGHT)
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(seconds))
    text = f"systolic ({version}) unstable; urgency=medium\n\n  * This version.\n\n -- {maintainer()}  {date}\n"
    with open(folder / "changelog.gz", "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, 0) as packed:
            packed.write(text.encode())
    overrides = root / "usr/share/lintian/overrides/systolic"
    overrides.parent.mkdir(parents=True, exist_ok=True)
    overrides.write_text(OVERRIDES)
    manual = root / "usr/share/man/man1"
    manual.mkdir(parents=True, exist_ok=True)
    with open(manual / "systolic.1.gz", "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, 0) as packed:
            packed.write((ROOT / "tools/package/systolic.1").read_bytes())


def library_dependencies(root):
    """What dpkg-shlibdeps says of the programs, which wants a source package around it."""
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / "debian").mkdir()
        (pathlib.Path(work) / "debian/control").write_text("Source: systolic\n\nPackage: systolic\nArchitecture: any\n")
        own = {str(path.parent) for path in root.rglob("*.so*")}
        output = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", *[f"-l{folder}" for folder in sorted(own)],
                     *[str(path) for path in programs(root)], cwd=work)
    return output.strip().removeprefix("shlibs:Depends=").split(", ")


def header_dependencies(root):
    needed = "\n".join(run("objdump", "-p", str(path)) for path in programs(root))
    archives = {path.name for path in root.rglob("*.a")}
    more = [package for library, packages in OPTIONAL_HEADERS.items() if library in needed or library in archives
            for package in packages]
    return HEADERS + list(dict.fromkeys(more))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--time", required=True, type=int)
    args = parser.parse_args()
    arrange(args.root)
    write_documents(args.root, args.version, args.time)
    architecture = run("dpkg", "--print-architecture").strip()
    size = sum(path.stat().st_size for path in args.root.rglob("*") if path.is_file()) // 1024
    depends = ", ".join(library_dependencies(args.root) + header_dependencies(args.root))
    (args.root / "DEBIAN/control").write_text(CONTROL.format(
        version=args.version, architecture=architecture, maintainer=maintainer(), size=size, depends=depends))
    for folder in [args.root, *[path for path in args.root.rglob("*") if path.is_dir()]]:
        folder.chmod(0o755)
    path = args.output / f"systolic_{args.version}_{architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(args.root), str(path),
        env={**os.environ, "SOURCE_DATE_EPOCH": str(args.time)})
    print(path)


if __name__ == "__main__":
    main()
