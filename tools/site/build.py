#!/usr/bin/env python3
"""Writes the documentation as a site of static pages.

    tools/site/build.py FOLDER

The pages need no server and ask nobody for anything: search, colours and pictures are in the folder.
tools/site/check.py verifies what was written.
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

import guides
import python_names
import reference
import search_index
import sources
from page import render

ASSETS = pathlib.Path(__file__).resolve().parent / "assets"


def version():
    return re.search(r"project\(systolic VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def all_pages():
    linked = sources.Sources(ROOT)
    pages, navigation = guides.pages(ROOT, linked)
    names = reference.Reference(ROOT, linked)
    python = python_names.PythonNames(ROOT, linked, names)
    navigation.update({"Reference": names.side, "Python name": python.side})
    tabs = [("Guides", "index.html", "Guide"), ("From Python", "python/index.html", "Python name"),
            ("Reference", "reference/index.html", "Reference")]
    return pages + python.pages() + names.pages() + linked.pages(), navigation, tabs


def write(folder):
    folder = pathlib.Path(folder)
    if folder.exists():
        if any(folder.iterdir()) and not (folder / "search_index.js").exists():
            sys.exit(f"{folder} holds something else than a site; give an empty folder or a new one")
        shutil.rmtree(folder)
    (folder / "assets").mkdir(parents=True)
    for asset in ASSETS.iterdir():
        shutil.copyfile(asset, folder / "assets" / asset.name)
    pages, navigation, tabs = all_pages()
    number = version()
    for page in pages:
        file = folder / page.place
        file.parent.mkdir(parents=True, exist_ok=True)
        side = navigation.get(page.kind, navigation["Guide"])
        file.write_text(render(page, side(page) if callable(side) else side, tabs, number))
    (folder / "search_index.js").write_text(search_index.script(pages))
    return len(pages)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"{write(sys.argv[1])} pages in {sys.argv[1]}")
