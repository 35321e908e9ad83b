"""The reference: a page for each public header, made of its comments and declarations."""
import collections
import html
import re

import headers
from examples import Examples
from highlight import highlight
from markdown_reader import Document, code_block
from page import Page, relative

TOPS = ["systolic/systolic.h", "systolic/torch_xla/torch_xla.h"]
# Folders, in the order in which one meets them, and what is in them.
AREAS = [
    ("systolic/train", "Models: compile, fit, callbacks"), ("systolic/nn", "Layers, losses, metrics, optimizers"),
    ("systolic/saving", "Models as files"), ("systolic/data", "Input pipelines"), ("systolic/datasets", "Data sets by name"),
    ("systolic/image", "Pictures"), ("systolic/text", "Tokenizers"), ("systolic/transformers", "Models of Hugging Face"),
    ("systolic/torch", "PyTorch's names"), ("systolic/torch_xla", "PyTorch/XLA's names"), ("systolic/distribute", "Strategies and replicas"),
    ("systolic/trace", "Tensors and functions"), ("systolic/io", "Files"), ("systolic/core", "Arrays, shapes, element types"),
    ("systolic/events", "Events of a run"), ("systolic/plan", "The dry run"), ("systolic/runtime", "Devices"),
    ("systolic/ir", "Programs"), ("systolic/base", "Errors and other ground"),
]
# The caller's line, which the compiler gives, is left out of signatures.
CALLER = re.compile(r",?\s*(?:const )?(?:SourceLocation&? \w+ = SourceLocation::current\(\)|At \w+ = At::current\(\))")
UNSAID = {"fields", "kind"}  # members for the library alone


class Reference:
    def __init__(self, root, linked):
        self.root, self.linked = root, linked
        read = [header for header in headers.read_all(root, TOPS) if header.declarations]
        self.headers = sorted(read, key=lambda header: (area_of(header.path), header.path))
        self.places = {header.path: "reference/" + header.path.removeprefix("systolic/").removesuffix(".h") + ".html"
                       for header in self.headers}
        self.owners = {}  # a name to its page
        for header in self.headers:
            for declared in header.declarations:
                if declared.kind in ("type", "enum", "alias", "concept", "macro") and declared.name != "At":
                    self.owners.setdefault(declared.name, f"{self.places[header.path]}#{declared.qualified}")
        self.examples = Examples(root, [declared for header in self.headers for declared in header.declarations]).found

    # --- pages ---
    def pages(self):
        return [self._index(), *(self._header_page(header) for header in self.headers)]

    def side(self, page):
        """Areas; the area of the page with its headers."""
        here = next((header.path for header in self.headers if self.places[header.path] == page.place), None)
        entries = [(title, f"reference/index.html#{folder.split('/')[-1]}") for folder, title in AREAS]
        listed = [("Reference", [("All names", "reference/index.html"), *entries])]
        if here:
            folder = here.rsplit("/", 1)[0]
            beside = [header for header in self.headers if header.path.rsplit("/", 1)[0] == folder]
            listed.insert(0, (folder, [(title_of(header), self.places[header.path]) for header in beside]))
        return listed

    def _index(self):
        body, headings = ['<h1 id="reference">Reference</h1><p>Every public name of <code>#include &lt;systolic/systolic.h&gt;</code> '
                          "and of <code>systolic/torch_xla/torch_xla.h</code>, from the headers’ own comments. A last argument of type "
                          "<code>SourceLocation</code>, the caller’s line, is left out: the compiler gives it, and errors name it.</p>"], []
        for folder, title in AREAS:
            mine = [header for header in self.headers if area_name(header.path) == folder]
            if not mine:
                continue
            anchor = folder.split("/")[-1]
            headings.append((2, title, anchor))
            rows = []
            for header in mine:
                shown = list(dict.fromkeys((declared.name, declared.qualified) for declared in header.declarations if declared.name != "At"))
                links = " ".join(f'<a href="{relative("reference/index.html", self.places[header.path])}#{html.escape(anchor_of(qualified))}">'
                                 f"<code>{html.escape(name)}</code></a>" for name, qualified in shown)
                rows.append(f"<tr><td>{links}</td><td>{self._line(first_sentence(header.comment))}</td></tr>")
            body.append(f'<h2 id="{anchor}">{title}</h2><div class="table names"><table><tbody>{"".join(rows)}</tbody></table></div>')
        return Page("reference/index.html", "Reference", "".join(body), kind="Reference", headings=headings,
                    sections=[("Reference", "", "Every public name")], about="Every public name, from the headers.")

    def _line(self, text):
        return Document(text).inline(text) if text else ""

    def _header_page(self, header):
        place, title = self.places[header.path], title_of(header)
        source = relative(place, self.linked.place(header.path))
        body = [f'<h1 id="top"><code>{html.escape(title)}</code></h1>', self._comment(header.comment)]
        headings, sections = [], [(title, "", header.comment)]
        groups = collections.OrderedDict()
        for declared in header.declarations:
            if declared.name != "At":
                groups.setdefault(declared.qualified, []).append(declared)
        for qualified, same in groups.items():
            anchor = anchor_of(qualified)
            headings.append((2, qualified, anchor))
            sections.append((qualified, anchor, " ".join([d.comment for d in same] + [
                f"{m.name} {m.comment}" for d in same for m in fields_of(d)])))
            sections += [(f"{qualified}::{name}", member_anchor(anchor, name), comment)
                         for name, comment in methods_of(same).items()]
            body.append(self._entry(qualified, anchor, same, place, source))
        body.append(f'<p class="declared">Declared in <a href="{source}"><code>{header.path}</code></a>.</p>')
        return Page(place, f"{title} ({header.path.removeprefix('systolic/')})", "".join(body), kind="Reference", headings=headings,
                    sections=sections, about=first_sentence(header.comment), group=dict(AREAS).get(area_name(header.path), ""))

    # --- parts of a page ---
    def _comment(self, comment):
        return Document(as_markdown(comment)).html if comment else ""

    def _signature(self, text, place):
        """Code in which the types that have a page are links to it."""
        text = CALLER.sub("", text)

        def link(match):
            owner = self.owners.get(match.group(1))
            goal = owner and relative(place, owner)
            return f'<a class="t" href="{html.escape(goal)}">{match.group(1)}</a>' if owner else match.group()
        return re.sub(r'<i class="t">(\w+)</i>', link, highlight(text, "cpp"))

    def _code(self, text, place):
        return f'<div class="code" data-language="cpp"><pre tabindex="0"><code>{self._signature(text, place)}</code></pre></div>'

    def _entry(self, qualified, anchor, same, place, source):
        name = same[0].name
        mark = f'<a class="anchor" href="#{html.escape(anchor)}" aria-label="Link to this name">#</a>'
        parts = [f'<h2 id="{html.escape(anchor)}" class="name"><code>{html.escape(qualified)}</code>{mark}</h2>']
        seen = set()
        for declared in same:
            if declared.kind == "enum":
                parts.append(self._code(declared.text + " { " + ", ".join(m.name for m in declared.members) + " }", place))
            elif not re.fullmatch(r"(struct|class) \w+", declared.text):
                parts.append(self._code(declared.text, place))
            parts.append(self._comment(declared.comment))
            if declared.after and declared.after != name and not declared.comment:
                parts.append(f"<p>Described with <code>{html.escape(declared.after)}</code>, above.</p>")
            parts.append(self.members(declared, place, seen))
        if qualified in self.examples:
            path, line, code = self.examples[qualified]
            where = relative(place, self.linked.place(path) if not path.endswith(".md") else self.linked.guide(path))
            label = path if path.endswith(".md") else f"{path}:{line}"
            where += "" if path.endswith(".md") else f"#L{line}"
            parts.append(f'<div class="example"><p>Used in <a href="{where}">{label}</a>, which CI builds and runs:</p>'
                         f'{code_block(code, "cpp")}</div>')
        return "".join(parts)

    def members(self, declared, place, seen=None):
        """Fields as a table, functions as a list; `seen` are the functions that have their anchor."""
        fields = fields_of(declared)
        methods = [member for member in declared.members if member.kind != "value" and member.name not in UNSAID]
        seen = set() if seen is None else seen
        parts = []
        if fields:
            rows = "".join(self._field(member, declared.kind == "enum", place) for member in fields)
            parts.append(f'<div class="table fields"><table><tbody>{rows}</tbody></table></div>')
        if methods:
            parts.append('<dl class="members">')
            for member in methods:
                said = self._comment(member.comment)
                signature = self._signature(" ".join(member.text.split()), place)
                mark = member_anchor(anchor_of(declared.qualified), member.name)
                place_here = "" if mark in seen or member.name.startswith("operator") else f' id="{html.escape(mark)}"'
                seen.add(mark)
                parts.append(f"<dt{place_here}><pre><code>{signature}</code></pre></dt><dd>{said}</dd>")
            parts.append("</dl>")
        return "".join(parts)

    def _field(self, member, of_enum, place):
        said = self._comment(member.comment)
        if of_enum:
            return f"<tr><td><code>{html.escape(member.name)}</code></td><td>{said}</td></tr>"
        kind = re.split(r"\s*\b" + re.escape(member.name) + r"\b", member.text)[0]
        kind = re.sub(r"(\w)\s+\w+,.*$", r"\1", kind) if "," in without_templates(kind) else kind
        default = f"<code>{html.escape(member.default)}</code>" if member.default else "<span>—</span>"
        return (f'<tr><td><code class="field">{html.escape(member.name)}</code></td>'
                f'<td data-label="type"><code>{self._signature(kind, place)}</code></td>'
                f'<td data-label="default">{default}</td><td>{said}</td></tr>')


def fields_of(declared):
    return [member for member in declared.members if member.kind == "value" and member.name not in UNSAID]


def methods_of(same):
    """The functions of a type, by name, with the comments of all overloads."""
    found = {}
    for declared in same:
        for member in declared.members:
            own = member.kind == "function" and member.name not in UNSAID and member.name != declared.name
            if own and not member.name.startswith("operator"):
                found[member.name] = " ".join(filter(None, [found.get(member.name, ""), member.comment]))
    return found


def member_anchor(anchor, name):
    return f"{anchor}.{name}"


def without_templates(text):
    return re.sub(r"<.*>", "", text)


def area_name(path):
    return "/".join(path.split("/")[:2])


def area_of(path):
    order = [folder for folder, _ in AREAS]
    return order.index(area_name(path)) if area_name(path) in order else len(order)


def anchor_of(qualified):
    return re.sub(r"\s+", "-", qualified)


def title_of(header):
    """The types that it declares, or the file's name in words."""
    stem = header.path.rsplit("/", 1)[-1].removesuffix(".h")
    squeezed = stem.replace("_", "").lower()
    named = [d.name for d in header.declarations if d.name.replace("_", "").lower() == squeezed]
    types = [d.name for d in header.declarations if d.kind == "type" and not re.search(r"(Options|Names)$", d.name)]
    if named:
        return named[0]
    functions = [d for d in header.declarations if d.kind == "function"]
    return types[0] if len(set(types)) == 1 and len(functions) < 4 else stem


def first_sentence(comment):
    paragraph = comment.split("\n\n")[0].replace("\n", " ").strip()
    return re.split(r"(?<=[.:])\s(?=[A-Z])", paragraph)[0] if paragraph else ""


def as_markdown(comment):
    """A comment's indented lines are code."""
    out, code = [], []
    for line in comment.split("\n"):
        if line.startswith(("  ", "\t")) and not re.match(r"\s*([-*]|\d+\.)\s", line) or (code and not line.strip()):
            code.append(line[2:])
            continue
        flush(out, code)
        out.append(line)
    flush(out, code)
    return "\n".join(out)


def flush(out, code):
    while code and not code[-1].strip():
        code.pop()
    if code:
        out += ["", "```cpp", *code, "```", ""]
    code.clear()
