"""README and the pages of docs, as pages of the site."""
import html
import posixpath
import re

import navigation
import pictures
from markdown_reader import Document
from page import Page, relative

# Cards of the first page for what is not a guide.
BESIDE = [
    ("Come from Python", "Each name of Keras, tf.data, transformers and PyTorch/XLA, side by side.", "python/index.html", "All Python names"),
    ("Look up a name", "Fields, defaults, errors, and an example that CI runs.", "reference/index.html", "The reference"),
]


def pages(root, linked):
    """The pages, and the list at the side for each kind of page."""
    files = navigation.sources(root)
    places = {path.relative_to(root).as_posix(): navigation.output_name(name) for name, path in files.items()}
    linked.guides = places
    made, titles = {}, {}
    for name, path in files.items():
        place = navigation.output_name(name)
        source = path.relative_to(root).as_posix()
        document = Document(path.read_text(), linker(source, place, places, linked))
        titles[name] = navigation.SHORT.get(name) or document.title
        made[name] = Page(place, document.title, document.html, headings=document.headings,
                          sections=document.sections, about=first_sentence(document))
    listed = navigation.groups(list(files))
    for title, _, names in listed:
        for name in names:
            made[name].group = "" if name == "README" else title
    for name, heading, figure in pictures.all_pictures(root):
        if name in made:
            at = made[name].body.index("</p>", made[name].body.index(f'id="{heading}"')) + len("</p>")
            made[name].body = made[name].body[:at] + figure + made[name].body[at:]
    made["README"].body = with_cards(made["README"].body, listed, titles)
    side = [(title, [(titles[name], navigation.output_name(name)) for name in names]) for title, _, names in listed]
    return list(made.values()), {"Guide": side}


def linker(source, place, places, linked):
    """Where a link of the Markdown file `source` leads from the page `place`."""
    def link(target):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        path, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        goal = places.get(path) or linked.place(path)
        return relative(place, goal + mark + anchor)
    return link


def first_sentence(document):
    text = next((text for _, _, text in document.sections if text), "")
    return re.split(r"(?<=[.:])\s", text)[0]


def with_cards(body, listed, titles):
    """The overview, with a card for each thing that one may want to do, before its program."""
    cards = []
    for title, about, names in listed:
        about = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(about))
        links = "".join(f'<li><a href="{navigation.output_name(name)}">{html.escape(titles[name])}</a></li>'
                        for name in names if name != "README")
        cards.append(f'<section class="card"><h3>{html.escape(title)}</h3><p>{about}</p><ul>{links}</ul></section>')
    for title, about, place, link in BESIDE:
        cards.append(f'<section class="card"><h3>{title}</h3><p>{about}</p><ul><li><a href="{place}">{link}</a></li></ul></section>')
    block = f'<div class="cards">{"".join(cards)}</div>'
    at = body.index('<div class="code" data-language="cpp"')
    return body[:at] + block + body[at:]
