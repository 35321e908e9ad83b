"""A page of the site, and the frame around it: head, list at the side, contents, search."""
import html
import posixpath


class Page:
    """`place` is its path in the site; `sections` are (heading, anchor, text) for the search."""

    def __init__(self, place, title, body, *, kind="Guide", headings=(), sections=(), about="", group="", wide=False):
        self.place, self.title, self.body, self.kind, self.about = place, title, body, kind, about
        self.headings, self.sections, self.group, self.wide = list(headings), list(sections), group, wide


def relative(origin, target):
    """The link from page `origin` to `target`, both from the site's root; an #anchor may follow."""
    path, mark, anchor = target.partition("#")
    if path == origin and mark:
        return mark + anchor
    return posixpath.relpath(path, posixpath.dirname(origin) or ".") + mark + anchor


def contents(page):
    entries = [(level, text, anchor) for level, text, anchor in page.headings if level in (2, 3)]
    if len(entries) < 2:
        return ""
    links = "".join(f'<li class="level{level}"><a href="#{anchor}">{html.escape(text)}</a></li>'
                    for level, text, anchor in entries)
    return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>{links}</ul></nav>'


def side(page, navigation):
    """The list of pages: (group, [(title, place)]); the page's own group stands open."""
    parts = []
    for group, entries in navigation:
        links = "".join(
            f'<li><a href="{relative(page.place, place)}"' + (' aria-current="page"' if place == page.place else "") +
            f">{html.escape(title)}</a></li>" for title, place in entries)
        parts.append(f'<section><h2>{html.escape(group)}</h2><ul>{links}</ul></section>')
    return "".join(parts)


def neighbours(page, navigation):
    order = [entry for _, entries in navigation for entry in entries]
    at = next((k for k, (_, place) in enumerate(order) if place == page.place), None)
    if at is None:
        return ""
    links = []
    for step, name, sign in ((-1, "previous", "← {}"), (1, "next", "{} →")):
        if 0 <= at + step < len(order):
            title, place = order[at + step]
            links.append(f'<a class="{name}" rel="{name[:4]}" href="{relative(page.place, place)}">'
                         f"{sign.format(html.escape(title))}</a>")
    return f'<nav class="neighbours" aria-label="Neighbouring pages">{"".join(links)}</nav>'


FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{about}">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{root}assets/style.css">
<link rel="icon" href="{root}assets/icon.svg" type="image/svg+xml">
<script src="{root}assets/theme.js"></script>
<script src="{root}assets/site.js" defer></script>
</head>
<body data-root="{root}">
<a class="skip" href="#content">Skip to the text</a>
<header class="bar">
<button class="menu" type="button" aria-label="Pages" aria-expanded="false" aria-controls="side">{menu_icon}</button>
<a class="brand" href="{root}index.html">{mark}<span>Systolic</span></a>
<div class="find" role="search"><input id="search" type="search" placeholder="Search" aria-label="Search all pages"
autocomplete="off" spellcheck="false" aria-controls="results" aria-expanded="false" role="combobox"><kbd>/</kbd>
<div id="results" role="listbox" aria-label="Results" hidden></div></div>
<nav class="tabs" aria-label="Parts of the site">{tabs}</nav>
<button class="theme" type="button" aria-label="Light or dark">{theme_icon}</button>
</header>
<div class="columns{wide}">
<nav id="side" class="side" aria-label="Pages">{side}</nav>
<main id="content"><article>{crumbs}{body}</article>{neighbours}
<footer>Systolic {version} · Apache-2.0 · made by <code>./run docs --site</code></footer></main>
{contents}
</div>
</body>
</html>
"""
MENU_ICON = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 5h14M3 10h14M3 15h14"/></svg>'
THEME_ICON = ('<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="6.5"/>'
              '<path class="half" d="M10 3.5a6.5 6.5 0 0 1 0 13z"/></svg>')
# The array of a matrix unit, and the wave that goes through it.
MARK = ('<svg viewBox="0 0 24 24" aria-hidden="true">' + "".join(
    f'<rect x="{3 + 6.5 * column}" y="{3 + 6.5 * row}" width="5" height="5" rx="1.2" opacity="{1 - 0.2 * (row + column):.1f}"/>'
    for row in range(3) for column in range(3)) + "</svg>")


def render(page, navigation, tabs, version):
    depth = page.place.count("/")
    root = "../" * depth
    links = "".join(f'<a href="{relative(page.place, place)}"' + (' class="here"' if group == page.kind else "") +
                    f">{title}</a>" for title, place, group in tabs)
    crumbs = f'<p class="crumbs">{html.escape(page.group)}</p>' if page.group else ""
    title = page.title if page.title == "Systolic" else f"{page.title} · Systolic"
    return FRAME.format(
        title=html.escape(title), about=html.escape(page.about[:160]), root=root, menu_icon=MENU_ICON,
        mark=MARK, tabs=links, theme_icon=THEME_ICON, side=side(page, navigation), body=page.body, crumbs=crumbs,
        neighbours=neighbours(page, navigation), version=version, contents=contents(page),
        wide=" wide" if page.wide else "")
