#!/usr/bin/env python3
"""Keeps README and docs true.

check_docs.py links FILE...         every relative link leads to a file that exists, #heading included; a link to a
                                    source with a symbol as its text, like [`fit`](../systolic/train/model/model.h), names
                                    something that stands in that file
check_docs.py extract FOLDER FILE...  writes each ```cpp block that has a main() to FOLDER/DOC_N.cc
"""
import pathlib
import re
import sys

LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\s*$")
SOURCES = {".h", ".cc", ".def", ".py", ".sh", ".txt", ".cmake", ".inc"}


def prose_and_blocks(path):
    """The text with code blocks blanked, and the blocks as (first line, language, text)."""
    prose, blocks, open_block = [], [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if fence and open_block is None:
            open_block = (number + 1, fence.group(1), [])
        elif fence:
            blocks.append((open_block[0], open_block[1], "\n".join(open_block[2]) + "\n"))
            open_block = None
        elif open_block is not None:
            open_block[2].append(line)
        prose.append("" if fence or open_block is not None else line)
    return prose, blocks


def anchors(path):
    prose, _ = prose_and_blocks(path)
    headings = (re.match(r"#+\s+(.*)", line) for line in prose)
    return {re.sub(r"[^\w\- ]", "", match.group(1).lower()).replace(" ", "-") for match in headings if match}


def check_link(path, text, target):
    """A fault in words, or None."""
    if re.match(r"[a-z]+:", target):
        return None
    place, _, anchor = target.partition("#")
    file = (path.parent / place).resolve() if place else path
    if not file.exists():
        return f"{target} does not exist"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"{target}: no such heading"
    if file.suffix in SOURCES and text.startswith("`") and text.endswith("`"):
        return missing_symbol(file, text.strip("`"), place)
    return None


def missing_symbol(file, symbol, place):
    if "/" in symbol or symbol == file.name:
        return None
    name = re.split(r"::|\.", re.sub(r"\(.*\)$", "", symbol))[-1]
    if re.search(r"\b" + re.escape(name) + r"\b", file.read_text()):
        return None
    return f"`{symbol}` does not stand in {place}"


def links(names):
    faults = 0
    for path in map(pathlib.Path, names):
        if not path.exists():
            continue
        prose, _ = prose_and_blocks(path)
        for number, line in enumerate(prose, 1):
            for text, target in LINK.findall(line):
                fault = check_link(path, text, target)
                if fault:
                    print(f"{path}:{number}: {fault}", file=sys.stderr)
                    faults += 1
    return 1 if faults else 0


def write_if_changed(file, text):
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def extract(folder, names):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    for path in map(pathlib.Path, names):
        _, blocks = prose_and_blocks(path)
        programs = [block for block in blocks if block[1] == "cpp" and re.search(r"\bint main\(", block[2])]
        for number, (line, _, text) in enumerate(programs, 1):
            file = folder / f"{path.stem.lower()}_{number}.cc"
            write_if_changed(file, f'#line {line} "{path}"\n{text}')
            written.add(file)
    for stale in set(folder.glob("*.cc")) - written:
        stale.unlink()
    return 0


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "links":
        return links(sys.argv[2:])
    if len(sys.argv) > 3 and sys.argv[1] == "extract":
        return extract(sys.argv[2], sys.argv[3:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
