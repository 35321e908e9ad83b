"""What the search finds: every page and section, as a script, since a page from the disk may not fetch data."""
import json
import re

LONGEST = 1200  # characters of a section that are searched


def entries(pages):
    """(kind, page's title, heading, place with anchor, text)."""
    for page in pages:
        first = True
        for heading, anchor, text in page.sections:
            text = re.sub(r"\s+", " ", text).strip()[:LONGEST]
            if not first and not heading:
                continue
            named = "" if first or heading == page.title else heading
            if first or text or heading:
                yield page.kind, page.title, named, page.place + (f"#{anchor}" if anchor and named else ""), text
            first = False


def script(pages):
    merged = {}
    for kind, title, heading, place, text in entries(pages):
        if place in merged:
            merged[place][4] = (merged[place][4] + " " + text).strip()
        else:
            merged[place] = [kind, title, heading, place, text]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in merged.values())
    return f"window.systolicSearch=[\n{lines}\n];\n"
