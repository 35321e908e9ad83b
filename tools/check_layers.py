#!/usr/bin/env python3
"""Checks that every folder includes, and links in CMake, only the folders that tools/layers.txt allows it, and that one sees
at once what a folder holds."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]((?:systolic|backends|plugin)/[^">]+)[">]')
FOLDER_CALL = re.compile(r"systolic_folder\(\s*(\w+)([^)]*)\)")
MOST_FILES = 40  # in a folder by itself
KEYWORDS = {"ALONE", "DEPENDS", "EXCEPT", "FILES", "LINK", "PRIVATE_LINK", "TEST_DEPENDS"}


def read_layers(path):
    """Folder to the set of folders it may include (short names are those under systolic/); folder to its inner folders
    in order; files that stand above their folder, with it; files to the folders that alone may include them."""
    layers, orders, above, closed = {}, {}, set(), {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        key, names = line.split(":")
        kind, _, folder = key.strip().rpartition(" ")
        if kind == "order":
            orders[folder] = names.split()
        elif kind == "above":
            above.update((folder, f"{folder}/{name}") for name in names.split())
        elif kind == "closed":
            closed[folder] = tuple(f"{name}/" for name in names.split())
        else:
            layers[folder] = {name if "/" in name else f"systolic/{name}" for name in names.split()}
    return layers, orders, above, closed


def folder_of(path, layers):
    """The longest listed folder that holds the path, or None."""
    holders = [folder for folder in layers if path.startswith(folder + "/")]
    return max(holders, key=len, default=None)


def is_test(name):
    return name.endswith("_test.cc") or pathlib.PurePath(name).name.startswith("test_")


def own_sources():
    for top in ("systolic", "backends", "plugin"):
        for file in sorted((ROOT / top).rglob("*")):
            if file.suffix in {".h", ".cc", ".inc"} and not is_test(str(file)):
                yield file


def place_in(order, folder, name):
    """Where the inner folder of a folder that holds the file stands in its order; unlisted ones are the folder itself."""
    inner = name[len(folder) + 1:].split("/")[0]
    return order.index(inner if inner in order else ".")


def check_order(orders, above):
    for file in own_sources():
        name = str(file.relative_to(ROOT))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            target = match.group(1) if match else ""
            for folder, order in orders.items():
                if not (name.startswith(folder + "/") and target.startswith(folder + "/")) or (folder, name) in above:
                    continue
                if (folder, target) in above or place_in(order, folder, target) > place_in(order, folder, name):
                    yield f"{name}:{number}: may not include {target}, which stands above it in {folder}"


def check_order_names(orders, above):
    for folder, order in orders.items():
        for inner in order:
            if inner != "." and not (ROOT / folder / inner).is_dir():
                yield f"tools/layers.txt: {folder} has no folder {inner}"
    for _, file in above:
        if not (ROOT / file).is_file():
            yield f"tools/layers.txt: there is no file {file}"


def check_closed(closed):
    for file in closed:
        if not (ROOT / file).is_file():
            yield f"tools/layers.txt: there is no file {file}"
    for top in ("systolic", "backends", "plugin", "tools", "tests", "benchmarks", "examples"):
        for file in sorted(path for path in (ROOT / top).rglob("*") if path.suffix in {".h", ".cc"}):
            name = str(file.relative_to(ROOT))
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if match and match.group(1) in closed and not name.startswith(closed[match.group(1)]):
                    yield f"{name}:{number}: may not include {match.group(1)}, which is closed (tools/layers.txt)"


def check_counts():
    counts = collections.Counter()
    for top in ("systolic", "backends", "plugin"):
        counts.update(file.parent for file in (ROOT / top).rglob("*") if file.suffix in {".h", ".cc", ".inc", ".def"})
    for folder, count in sorted(counts.items()):
        if count > MOST_FILES:
            yield f"{folder.relative_to(ROOT)}: {count} files by itself: give it inner folders (at most {MOST_FILES})"


def check_includes(layers):
    for top in ("systolic", "backends", "plugin"):
        for file in sorted((ROOT / top).rglob("*")):
            if file.suffix not in {".h", ".cc", ".inc"}:
                continue
            name = str(file.relative_to(ROOT))
            folder = folder_of(name, layers)
            if folder is None:
                if name.count("/") > 1:
                    yield f"{name}: its folder is not in tools/layers.txt"
                    continue
                folder = name  # systolic/systolic.h and the like: no backend, but for the file that names them
            allowed = layers.get(folder, {layer for layer in layers if layer.startswith("systolic/")}) | {folder}
            if is_test(name):
                continue  # a test may use whatever its program links
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                target = folder_of(match.group(1), layers) if match else None
                if target and target not in allowed:
                    yield f"{name}:{number}: {folder} may not include {target} ({match.group(1)})"


def check_outside(layers):
    """Examples and tools see the public library only, and nobody else sees the examples' own code."""
    for top in ("examples", "tools"):
        for file in sorted((ROOT / top).rglob("*.cc")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if match and not match.group(1).startswith("systolic/"):
                    yield f"{file.relative_to(ROOT)}:{number}: {top} may not include {match.group(1)}"
    for top in ("benchmarks", "tests", "tools"):
        for file in sorted(path for path in (ROOT / top).rglob("*") if path.suffix in {".h", ".cc"}):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if re.match(r'\s*#\s*include\s+"examples/', line):
                    yield f"{file.relative_to(ROOT)}:{number}: {top} may not include what examples share"


def check_links(layers):
    files = [file for top in ("systolic", "backends", "plugin") for file in (ROOT / top).rglob("CMakeLists.txt")]
    places, calls = {}, []
    for file in files:
        folder = str(file.parent.relative_to(ROOT))
        for name, arguments in FOLDER_CALL.findall(file.read_text()):
            place = "systolic/backends.cc" if name == "backends" else folder
            places[name] = place
            calls.append((file, place, arguments.split()))
    for file, folder, arguments in calls:
        keyword = None
        for word in arguments:
            if word in KEYWORDS:
                keyword = word
            elif keyword == "DEPENDS" and not any(
                    place in layers.get(folder, set())
                    for place in (places.get(word), f"systolic/{word}", f"backends/{word}")):
                yield f"{file.relative_to(ROOT)}: {folder} may not link {word}"


def main():
    layers, orders, above, closed = read_layers(ROOT / "tools" / "layers.txt")
    faults = [*check_includes(layers), *check_outside(layers), *check_links(layers), *check_order(orders, above),
              *check_order_names(orders, above), *check_closed(closed), *check_counts()]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
