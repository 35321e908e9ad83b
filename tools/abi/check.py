#!/usr/bin/env python3
"""Compares the library's public interface with what the last version had.

    tools/abi/check.py BUILD              what went and what changed; fails where a name went in silence
    tools/abi/check.py BUILD --release    before a version is tagged: fails where binaries no longer fit and only PATCH grew
    tools/abi/check.py BUILD --write      when a version is tagged: describes it, in tools/abi/VERSION.txt
    tools/abi/check.py --test             tests itself

The description has a line for each public name of the headers, marked where it is deprecated; for each function and object
that the archives below BUILD/lib define for a public name, as c++filt shows it; and for each public class with its size.
What stands in a namespace `internal`, or in headers that users do not include, is no part of it (docs/versions.md).

A name that went must have been deprecated in the last version, or stand in CHANGELOG.md under Unreleased.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(ROOT / "tools/site"))

import headers

TOPS = ["systolic/systolic.h", "systolic/torch_xla/torch_xla.h"]  # what users include

SHOWN = 20  # lines of each list


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def public_names():
    """Qualified name to whether it is deprecated."""
    names = {}
    for header in headers.read_all(ROOT, TOPS):
        for declared in header.declarations:
            deprecated = "[[deprecated" in declared.text
            names[declared.qualified] = names.get(declared.qualified, True) and deprecated
    return names


def plain(symbol):
    """A demangled symbol without the versions' namespace, its parameters and template arguments: data::Dataset::map."""
    depth, text = 0, []
    for character in symbol.replace("systolic::v0::", "systolic::"):
        if character == "(" and depth == 0:
            break
        depth += (character == "<") - (character == ">")
        if depth == 0 and character != ">":
            text.append(character)
    return "".join(text).removeprefix("systolic::").strip()


def is_public(symbol, names):
    name = plain(symbol)
    return name in names or name.rpartition("::")[0] in names


def defined_symbols(build, names):
    archives = sorted(str(path) for path in (build / "lib").glob("libsystolic_*.a"))
    if not archives:
        sys.exit(f"tools/abi/check.py: {build}/lib has no archives of the library\n  hint: build it first")
    found = set()
    # Weak ones are instances of templates and inline functions, which each program makes for itself.
    for line in run("nm", "--demangle", "--defined-only", "--extern-only", *archives).splitlines():
        parts = line.split(" ", 2)
        if len(parts) == 3 and parts[1] in "TDBR" and parts[2].startswith("systolic::v0::") and is_public(parts[2], names):
            found.add(parts[2].replace("systolic::v0::", ""))
    return found


def class_sizes(names):
    """Public class to "size align", as the compiler lays it out."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "all.cc"
        source.write_text("".join(f"#include <{top}>\n" for top in TOPS))
        dump = pathlib.Path(folder) / "classes.txt"
        run("g++", "-std=c++20", f"-I{ROOT}", f"-fdump-lang-class={dump}", "-fsyntax-only", str(source), cwd=folder)
        return read_class_dump(dump.read_text(), names)


def read_class_dump(text, names):
    sizes = {}
    for name, size, align in re.findall(r"^Class (systolic::v0::[\w:]+)\n +size=(\d+) align=(\d+)", text, re.M):
        name = name.replace("systolic::v0::", "")
        if name in names:
            sizes[name] = f"{size} {align}"
    return sizes


def describe(build):
    names = public_names()
    lines = [f"name {name}{' deprecated' if deprecated else ''}" for name, deprecated in names.items()]
    lines += [f"symbol {symbol}" for symbol in defined_symbols(build, names)]
    lines += [f"class {name} {size}" for name, size in class_sizes(names).items()]
    return sorted(lines)


def parse(lines):
    names, symbols, classes = {}, set(), {}
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "name":
            name, _, mark = rest.partition(" ")
            names[name] = mark == "deprecated"
        elif kind == "symbol":
            symbols.add(rest)
        elif kind == "class":
            name, _, size = rest.partition(" ")
            classes[name] = size
    return names, symbols, classes


def compare(before, after):
    """What went: names without a deprecation, names that were deprecated, symbols; and classes of another layout."""
    old_names, old_symbols, old_classes = parse(before)
    new_names, new_symbols, new_classes = parse(after)
    gone = [name for name in old_names if name not in new_names]
    return {
        "names that went": [name for name in gone if not old_names[name]],
        "deprecated names that went": [name for name in gone if old_names[name]],
        "functions and objects that went or take other arguments": sorted(old_symbols - new_symbols),
        "classes of another size": [f"{name}: {size}, now {new_classes[name]}" for name, size in old_classes.items()
                                    if name in new_classes and new_classes[name] != size],
    }


def unreleased(changelog):
    return re.split(r"^## ", changelog, flags=re.M)[1]


def unannounced(gone, changelog):
    """Names of which the changelog's next version says nothing. A class's members go with it."""
    said = set(re.findall(r"[\w:]+", unreleased(changelog)))
    return [name for name in gone if not any(name.endswith(part) and part in said
                                             for part in [name, name.rpartition("::")[2], *name.split("::")[-2:-1]])]


def version_key(text):
    return tuple(int(part) for part in text.split("."))


def project_version():
    return re.search(r"project\(systolic VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def last_description():
    files = sorted(HERE.glob("*.*.*.txt"), key=lambda path: version_key(path.stem))
    return files[-1] if files else sys.exit("tools/abi/check.py: no version is described\n  hint: --write describes one")


def breaks_binaries(changes):
    return any(lines for lines in changes.values())


def next_version(last):
    major, minor, _ = version_key(last)
    return f"{major + 1}.0.0" if major > 0 else f"0.{minor + 1}.0"


def report(changes, last):
    counts = ", ".join(f"{len(lines)} {what}" for what, lines in changes.items())
    print(f"since {last}: {counts}")
    for what, lines in changes.items():
        if lines:
            print(f"  {what}:")
            print("\n".join(f"    {line}" for line in lines[:SHOWN]))
            if len(lines) > SHOWN:
                print(f"    and {len(lines) - SHOWN} more")


def check(build, for_release):
    file = last_description()
    last, now = file.stem, project_version()
    changes = compare(file.read_text().splitlines(), describe(build))
    report(changes, last)
    silent = unannounced(changes["names that went"], (ROOT / "CHANGELOG.md").read_text())
    if silent:
        print("tools/abi/check.py: public names went without a word in CHANGELOG.md: " + ", ".join(silent) +
              "\n  hint: keep each as [[deprecated]] for a version (CONTRIBUTING.md), or say under Unreleased what takes its place",
              file=sys.stderr)
        return 1
    needed = next_version(last)
    if for_release and breaks_binaries(changes) and version_key(now) < version_key(needed):
        print(f"tools/abi/check.py: binaries made with {last} do not fit, and this is {now}\n"
              f"  wanted: {needed} in CMakeLists.txt", file=sys.stderr)
        return 1
    return 0


def test():
    dump = ("Class systolic::v0::Adam\n   size=48 align=8\n   base size=48 base align=8\n\n"
            "Class systolic::v0::internal::Hidden\n   size=1 align=1\n\nClass std::Other\n   size=8 align=8\n")
    assert read_class_dump(dump, {"Adam": False}) == {"Adam": "48 8"}
    assert plain("systolic::v0::data::Dataset::map(std::function<void (int)>) const") == "data::Dataset::map"
    assert plain("systolic::v0::Box<int>::open()") == "Box::open"
    assert is_public("systolic::v0::Model::fit(int)", {"Model": False})
    assert not is_public("systolic::v0::cpu::Engine::run()", {"Model": False})
    before = ["name Old deprecated", "name Kept", "name Went", "symbol Kept(int)", "class Kept 8 8"]
    after = ["name Kept", "name New", "symbol Kept(long)", "class Kept 16 8", "class New 1 1"]
    changes = compare(before, after)
    assert list(changes.values()) == [["Went"], ["Old"], ["Kept(int)"], ["Kept: 8 8, now 16 8"]], changes
    assert not breaks_binaries(compare(after, after))
    assert not breaks_binaries(compare(after, [*after, "name More", "symbol More()"]))
    log = "# Log\n## Unreleased\n### Removed\n- `Went`: use `Kept`.\n## 0.1.0\n- `Gone`\n"
    assert unannounced(["Went", "Gone", "data::Gone"], log) == ["Gone", "data::Gone"]
    assert next_version("0.1.4") == "0.2.0" and next_version("1.4.2") == "2.0.0"
    return 0


def main(arguments):
    if arguments == ["--test"]:
        return test()
    flags = {argument for argument in arguments if argument.startswith("--")}
    folders = [pathlib.Path(argument) for argument in arguments if not argument.startswith("--")]
    if len(folders) != 1 or flags - {"--release", "--write"}:
        sys.exit(__doc__)
    if "--write" in flags:
        file = HERE / f"{project_version()}.txt"
        file.write_text("\n".join(describe(folders[0])) + "\n")
        print(file)
        return 0
    return check(folders[0], "--release" in flags)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
