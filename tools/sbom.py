#!/usr/bin/env python3
"""The bill of materials of a build: CycloneDX 1.5 in JSON, on standard output.

    tools/sbom.py [--installed]     with the versions of the packages that are installed here (Debian, Ubuntu)
    tools/sbom.py --check           the table below agrees with README.md, tools/run/packages.txt and the form's rules

What Systolic links stands as `required` or, where a build may leave it out, `optional`; what only tests or builds use is
`excluded`, as the form calls what is not part of the product.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# (name in README, package that programs need, package to build with, licence as SPDX writes it, scope)
COMPONENTS = [
    ("oneDNN", "onednn", "", "Apache-2.0", "required"),
    ("Highway", "libhwy1", "libhwy-dev", "Apache-2.0 OR BSD-3-Clause", "required"),
    ("nlohmann-json", "nlohmann-json3-dev", "nlohmann-json3-dev", "MIT", "required"),
    ("Oniguruma", "libonig5", "libonig-dev", "BSD-2-Clause", "required"),
    ("CLI11", "libcli11-dev", "libcli11-dev", "BSD-3-Clause", "required"),
    ("zlib", "zlib1g", "zlib1g-dev", "Zlib", "required"),
    ("libjpeg-turbo", "libjpeg62-turbo", "libjpeg-dev", "IJG AND BSD-3-Clause", "required"),
    ("libpng", "libpng16-16", "libpng-dev", "libpng-2.0", "required"),
    ("libwebp", "libwebp7", "libwebp-dev", "BSD-3-Clause", "required"),
    ("libgomp", "libgomp1", "", "GPL-3.0-or-later WITH GCC-exception-3.1", "required"),
    ("libstdc++", "libstdc++6", "", "GPL-3.0-or-later WITH GCC-exception-3.1", "required"),
    ("libgcc", "libgcc-s1", "", "GPL-3.0-or-later WITH GCC-exception-3.1", "required"),
    ("glibc", "libc6", "", "LGPL-2.1-or-later", "required"),
    ("libcurl", "libcurl4", "libcurl4-openssl-dev", "curl", "optional"),
    ("OpenSSL", "libssl3", "libssl-dev", "Apache-2.0", "optional"),
    ("gRPC", "libgrpc++1.51", "libgrpc++-dev", "Apache-2.0", "optional"),
    ("Abseil", "libabsl20220623", "", "Apache-2.0", "optional"),
    ("Protocol Buffers", "libprotobuf32", "libprotobuf-dev", "BSD-3-Clause", "optional"),
    ("Gloo", "libgloo0", "libgloo-dev", "BSD-3-Clause", "optional"),
    ("libhdf5", "libhdf5-103-1", "libhdf5-dev", "BSD-3-Clause", "optional"),
    ("libaec", "libaec0", "", "BSD-2-Clause", "optional"),
    ("Arrow C++", "arrow-cpp", "", "Apache-2.0", "optional"),
    ("cpp-httplib", "libcpp-httplib0.11", "libcpp-httplib-dev", "MIT", "optional"),
    ("brotli", "libbrotli1", "", "MIT", "optional"),
    ("GoogleTest", "libgtest-dev", "libgtest-dev", "BSD-3-Clause", "excluded"),
    ("Google Benchmark", "libbenchmark-dev", "libbenchmark-dev", "Apache-2.0", "excluded"),
]
# What README writes in words.
IN_WORDS = {"Apache-2.0 OR BSD-3-Clause": "Apache-2.0 or BSD-3-Clause", "IJG AND BSD-3-Clause": "IJG and BSD-3-Clause",
            "LGPL-2.1-or-later": "LGPL-2.1",
            "GPL-3.0-or-later WITH GCC-exception-3.1": "GPL-3.0 with the runtime library exception"}
# Packages that build or download and leave nothing in a program.
TOOLS = {"g++", "cmake", "ninja-build", "pkg-config", "protobuf-compiler", "protobuf-compiler-grpc", "curl", "ca-certificates"}
LINKED_USES = ("build", "storage", "cluster", "hdf5", "page")


def version():
    return re.search(r"project\(systolic VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def installed(package):
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return asked.stdout.strip() if asked.returncode == 0 else ""


def onednn_version():
    """The wheel that ./run unpacks where the system's oneDNN is too old."""
    found = re.search(r"ONEDNN_VERSION=([\d.]+)", (ROOT / "tools/run/onednn.sh").read_text())
    return found.group(1) if found else ""


def component(name, package, licence, scope, with_versions):
    made = {"type": "library", "bom-ref": package, "name": name, "scope": scope,
            "licenses": [{"expression": licence}] if " " in licence else [{"license": {"id": licence}}]}
    number = (onednn_version() if package == "onednn" else installed(package)) if with_versions else ""
    if number:
        made["version"] = number
    if package != "onednn":
        made["purl"] = f"pkg:deb/debian/{package.replace('+', '%2B')}" + (f"@{number.replace(':', '%3A').replace('+', '%2B')}" if number else "")
    return made


def bill(with_versions):
    components = [component(name, package, licence, scope, with_versions)
                  for name, package, _, licence, scope in COMPONENTS]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "library", "bom-ref": "systolic", "name": "systolic", "version": version(),
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": components,
        "dependencies": [{"ref": "systolic", "dependsOn": [made["bom-ref"] for made in components if made["scope"] != "excluded"]},
                         *({"ref": made["bom-ref"], "dependsOn": []} for made in components)],
    }


def faults():
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", (ROOT / "README.md").read_text(), re.M)
    listed = [(libraries, licences) for libraries, _, licences in rows if libraries not in ("library", "folder")]
    for name, _, _, licence, _ in COMPONENTS:
        row = next((row for row in listed if re.search(rf"(^|[^\w+]){re.escape(name)}([^\w+]|$)", row[0])), None)
        if row is None:
            yield f"README's table of dependencies lacks {name}"
        elif IN_WORDS.get(licence, licence) not in row[1]:
            yield f"README says {row[1]} of {name}, tools/sbom.py {licence}"
    table = (ROOT / "README.md").read_text().split("## Dependencies")[1].split("\n\n")[0]
    for name in re.findall(r"\[([^\]]+)\]\(http", table):
        if name not in {known for known, *_ in COMPONENTS}:
            yield f"tools/sbom.py lacks {name}, which README's table has"
    known = {package for _, runs, builds, _, _ in COMPONENTS for package in (runs, builds)} | TOOLS
    for line in (ROOT / "tools/run/packages.txt").read_text().splitlines():
        words = line.split()
        if words and words[0] in LINKED_USES and words[1] not in known:
            yield f"tools/sbom.py does not know the package {words[1]} of tools/run/packages.txt"
    yield from form_faults(bill(False))


def form_faults(made):
    """Rules of CycloneDX 1.5 that a slip here would break."""
    references = [component["bom-ref"] for component in made["components"]] + ["systolic"]
    if len(references) != len(set(references)):
        yield "a component comes twice"
    for dependency in made["dependencies"]:
        yield from (f"{name} is no component" for name in [dependency["ref"], *dependency["dependsOn"]] if name not in references)
    for component in made["components"]:
        if component["scope"] not in ("required", "optional", "excluded"):
            yield f"{component['name']}: scope {component['scope']}"


def main():
    if sys.argv[1:] == ["--check"]:
        found = list(faults())
        print("\n".join(found), file=sys.stderr, end="\n" if found else "")
        return 1 if found else 0
    if sys.argv[1:] not in ([], ["--installed"]):
        print(__doc__, file=sys.stderr)
        return 2
    print(json.dumps(bill(bool(sys.argv[1:])), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
