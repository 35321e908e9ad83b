#!/usr/bin/env python3
"""Verifies a site that build.py wrote.

    tools/site/check.py [FOLDER]

Without a folder the site is built in a temporary one. Every link and anchor leads somewhere, no identifier comes twice,
every element is closed, nothing is asked from elsewhere, every page has one first heading and a title of its own, and
the search names every page.
"""
import html.parser
import json
import pathlib
import posixpath
import re
import sys
import tempfile
import urllib.parse

import build

VOID = {"meta", "link", "input", "br", "wbr", "hr", "img", "path", "rect", "circle", "line", "polyline", "polygon"}
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("image", "href")}
EXTERNAL = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.I)


class PageReader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.loads, self.faults = [], [], [], []
        self.open, self.headings, self.title = [], 0, ""
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        self.loads += [attributes[name] for element, name in LOADED if element == tag and name in attributes]
        if re.search(r"url\(|@import", attributes.get("style") or ""):
            self.faults.append("a style that loads something")
        self.headings += tag == "h1"
        if tag == "svg" and "aria-hidden" not in attributes and "aria-labelledby" not in attributes:
            self.faults.append("a picture without words for those who cannot see it")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        if self.open and self.open[-1] == "title" and "svg" not in self.open:
            self.title += data


def read(folder):
    return {path.relative_to(folder).as_posix(): PageReader(path.read_text()) for path in sorted(folder.rglob("*.html"))}


def page_faults(place, page, pages, folder):
    yield from page.faults
    for name in {name for name in page.ids if page.ids.count(name) > 1} if len(page.ids) != len(set(page.ids)) else ():
        yield f"the identifier '{name}' comes twice"
    if page.headings != 1:
        yield f"{page.headings} first headings, not one"
    for target in page.loads:
        if EXTERNAL.match(target):
            yield f"loads {target} from elsewhere"
        elif not (folder / posixpath.join(posixpath.dirname(place), target)).exists():
            yield f"loads {target}, which does not exist"
    for target in page.links:
        fault = link_fault(place, target, pages, folder)
        if fault:
            yield fault


def link_fault(place, target, pages, folder):
    """What is wrong with a link, or None."""
    if EXTERNAL.match(target):
        return None if target.startswith(("https://", "http://")) else f"a link of another kind: {target}"
    path, _, anchor = target.partition("#")
    goal = posixpath.normpath(posixpath.join(posixpath.dirname(place), urllib.parse.unquote(path))) if path else place
    if goal.startswith(".."):
        return f"{target} leads out of the site"
    if goal not in pages:
        return None if (folder / goal).is_file() and not anchor else f"{target} leads nowhere"
    if anchor and urllib.parse.unquote(anchor) not in pages[goal].known:
        return f"{target}: no such anchor"
    return None


def search_faults(folder, pages):
    text = (folder / "search_index.js").read_text()
    entries = json.loads(text.removeprefix("window.systolicSearch=").rstrip().removesuffix(";"))
    places = [entry[3] for entry in entries]
    found = {place.partition("#")[0] for place in places}
    yield from (f"the search does not know {place}" for place in sorted(set(pages) - found))
    yield from (f"the search names {place}, which does not exist" for place in sorted(found - set(pages)))
    yield from (f"the search names {place} twice" for place in sorted({p for p in places if places.count(p) > 1})
                if len(places) != len(set(places)))
    for place in places:
        path, _, anchor = place.partition("#")
        if anchor and path in pages and anchor not in pages[path].known:
            yield f"the search names {place}: no such anchor"


def asset_faults(folder):
    for path in sorted((folder / "assets").iterdir()):
        text = path.read_text()
        if re.search(r"@import|url\(\s*['\"]?(?!#)|\bfetch\(|XMLHttpRequest|sendBeacon|https?://(?!www\.w3\.org/)", text):
            yield f"assets/{path.name} asks for something from elsewhere"


def check(folder):
    pages = read(folder)
    for page in pages.values():
        page.known = set(page.ids)
    faults = [f"{place}: {fault}" for place, page in pages.items() for fault in page_faults(place, page, pages, folder)]
    titles = {}
    for place, page in pages.items():
        titles.setdefault(page.title, []).append(place)
    faults += [f"pages of one title, {title}: {', '.join(places)}" for title, places in titles.items() if len(places) > 1]
    return pages, faults + list(search_faults(folder, pages)) + list(asset_faults(folder))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        if len(sys.argv) > 1:
            folder = pathlib.Path(sys.argv[1])
        else:
            folder = pathlib.Path(scratch) / "site"
            build.write(folder)
        pages, faults = check(folder)
    print("\n".join(faults[:60]), file=sys.stderr, end="\n" if faults else "")
    links = sum(len(page.links) for page in pages.values())
    print(f"site: {len(pages)} pages, {links} links, {len(faults)} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
