"""Coming from Python: a page for each name of Keras, tf.data, transformers and PyTorch/XLA, with both languages.

The names come from tables that stand in the guides, from the comments of their programs that give the Python name of
the next line, and from tools/keras_table.py's table. The code in C++ is from there or from what CI builds.
"""
import html
import posixpath
import re

import examples
from markdown_reader import Document, cells, code_block, plain
from page import Page, relative

# (guide, folder, package as users call it)
TABLES = [("keras", "Keras and tf.distribute"), ("tf_data", "tf.data"), ("transformers", "transformers"),
          ("hugging_face", "transformers and datasets"), ("tokenizers", "tokenizers"), ("torch_xla", "PyTorch/XLA"),
          ("embeddings", "tf.tpu.experimental.embedding"),
          ("use_tpus", "“Use TPUs”")]
NAME_IN_COMMENT = re.compile(r"^\s*//\s*(?:with |for _ in )?(@?(?:tf|tfds|keras|layers|xm|xmp|torch)\.[\w.]+|TFAuto\w+|Auto\w+)(.*)$")
CODE = re.compile(r"`([^`]+)`")
UNNAMED = {"lambda", "batch", "ds", "len", "def", "loss", "metrics", "logs", "a", "dict"}  # no names of a package
CALLED = re.compile(r"(@?[A-Za-z_][\w.]*)")


class Name:
    """A Python name, with what the guides say of it."""

    def __init__(self, title, group):
        self.title, self.group, self.pairs, self.status, self.place = title, group, [], "", ""


class PythonNames:
    def __init__(self, root, linked, reference):
        self.root, self.linked, self.reference = root, linked, reference
        self.names = {}
        self.initializers = {}
        self._read_initializers()
        self._keras_table()
        for guide, group in TABLES:
            text = (root / f"docs/{guide}.md").read_text() if (root / f"docs/{guide}.md").exists() else ""
            self._rows(text, guide, group)
            self._comments(text, guide, group)
        self._places()

    # --- what the guides say ---
    def _name(self, title, group):
        key = (group, title)
        return self.names.setdefault(key, Name(title, group))

    def _rows(self, text, guide, group):
        lines = text.splitlines()
        for at, line in enumerate(lines):
            head = cells(line) if line.startswith("|") else []
            if len(head) < 2 or not re.match(r"Python$|PyTorch$|transformers", head[0]) or head[1] not in ("here", "Systolic"):
                continue
            for row in lines[at + 2:]:
                if not row.startswith("|"):
                    break
                self._row(cells(row), guide, group)

    def _row(self, row, guide, group):
        python = CODE.findall(row[0])
        for title in dict.fromkeys(name for code in python if (name := name_of(code))):
            self._name(title, group).pairs.append((row[0], row[1], row[2] if len(row) > 2 else "", guide))

    def _comments(self, text, guide, group):
        from check_docs import FENCE
        lines, inside = text.splitlines(), False
        for at, line in enumerate(lines):
            if FENCE.match(line):
                inside = not inside and line.strip() == "```cpp"
            match = NAME_IN_COMMENT.match(line) if inside else None
            if match and at + 1 < len(lines) and lines[at + 1].strip() and not lines[at + 1].strip().startswith("//"):
                begin, end = at + 1, examples.statement(lines, at + 1)[1]
                code = examples.dedent(lines[begin:end])
                self._name(match.group(1), group).pairs.append((match.group(1) + match.group(2), code, None, guide))

    # --- Keras's names by module ---
    def _keras_table(self):
        text = (self.root / "docs/keras.md").read_text()
        between = re.search(r"<!-- tables of.*?-->(.*?)<!-- end", text, re.S).group(1)
        for line in between.splitlines():
            row = cells(line) if line.startswith("| `") else []
            if len(row) == 3:
                module = row[0].strip("`")
                for title in CODE.findall(row[2]):
                    self._name(f"keras.{module}.{title}", "Keras " + module).status = row[1]

    def _read_initializers(self):
        """NAME{.field = value, ...} of what CI builds, with values that read the same in Python."""
        sources = list(self.root.glob("docs/*.md")) + [self.root / "README.md"] + sorted(self.root.glob("examples/**/*.cc")) + \
            sorted(self.root.glob("systolic/nn/**/*_test.cc")) + sorted(self.root.glob("systolic/train/**/*_test.cc"))
        value = r'(?:-?[\d.\'e]+|"[^"\n]*"|true|false|\{[-\d., ]*\})'
        pattern = re.compile(r"\b([A-Z]\w+)\{(\.\w+ = " + value + r"(?:,\s*\.\w+ = " + value + r")*)\}")
        for path in sources:
            where = path.relative_to(self.root).as_posix()
            for match in pattern.finditer(path.read_text()):
                code = " ".join(match.group().split())
                best = self.initializers.get(match.group(1))
                if len(code) <= 100 and (best is None or (len(code) > len(best[0]) and not where.endswith("_test.cc"))):
                    self.initializers[match.group(1)] = (code, where)

    # --- pages ---
    def _places(self):
        taken = set()
        for name in self.names.values():
            stem = re.sub(r"[^\w.]+", "_", name.title.lstrip("@")).strip("._")
            folder = re.sub(r"\W+", "_", name.group.lower().replace("keras ", "keras.")).strip("_")
            place = f"python/{folder}/{stem}.html"
            while place.lower() in taken:
                place = place.removesuffix(".html") + "_.html"
            taken.add(place.lower())
            name.place = place

    def pages(self):
        return [self._index(), *(self._page(name) for name in self.names.values())]

    def side(self, page):
        return [("Coming from Python", [("All names", "python/index.html")] + [
            (group, f"python/index.html#{anchor(group)}") for group in self._groups()])]

    def _groups(self):
        return list(dict.fromkeys(name.group for name in self.names.values()))

    def _index(self):
        body = ['<h1 id="python">Coming from Python</h1><p>What each name of Keras, tf.data, transformers and PyTorch/XLA is '
                "here, side by side. Names that are not here yet are grey.</p>"]
        headings = []
        for group in self._groups():
            mine = sorted((name for name in self.names.values() if name.group == group), key=lambda name: name.title.lower())
            headings.append((2, group, anchor(group)))
            links = "".join(f'<li{" class=absent" if name.status == "not yet" else ""}><a href="{relative("python/index.html", name.place)}">'
                            f"<code>{html.escape(short(name))}</code></a></li>" for name in mine)
            body.append(f'<h2 id="{anchor(group)}">{html.escape(group)}</h2><ul class="names-list">{links}</ul>')
        return Page("python/index.html", "Coming from Python", "".join(body), kind="Python name", headings=headings,
                    sections=[("Coming from Python", "", "Keras tf.data transformers PyTorch XLA names side by side")],
                    about="Each Python name and what it is in C++.")

    def _page(self, name):
        body = [f'<h1 id="name"><code>{breakable(name.title)}</code></h1>']
        words = [name.title]
        if name.status:
            body.append(self._keras(name))
            words.append(name.status)
        for python, here, note, guide in name.pairs:
            body.append(self._pair(python, here, note, guide, name.place))
            words.append(plain(f"{python} {here} {note or ''}"))
        title = name.title if name.status else f"{name.title} ({name.group})"
        return Page(name.place, title, "".join(body), kind="Python name", group=name.group,
                    sections=[(name.title, "", " ".join(words))], about=f"{name.title} in C++, side by side.")

    def _keras(self, name):
        own = name.title.rsplit(".", 1)[-1]
        owner = self.reference.owners.get(own)
        guide = relative(name.place, "keras.html#what-is-here")
        if name.status == "not yet":
            return f'<p class="note">Not here yet. <a href="{guide}">What is here of Keras</a>, by module.</p>'
        parts = []
        if name.status not in ("here",):
            said = Document(name.status, self._guide_link("keras", name.place)).inline(name.status)
            parts.append(f"<p>Here: {said}.</p>")
        if own in self.initializers and name.status == "here" and owner:
            code, where = self.initializers[own]
            parts.append(side_by_side(f"keras.{name.title.split('.', 1)[1].rsplit('.', 1)[0]}.{to_python(code)}", code))
            parts.append(f'<p class="from">From <a href="{self._where(where, name.place)}">{html.escape(where)}</a>, which CI builds and runs.</p>')
        elif "activations" in name.title and name.status == "here":
            parts.append(side_by_side(f'Dense(10, activation="{own}")', f'Dense{{.units = 10, .activation = "{own}"}}'))
        if owner and name.status == "here":
            parts.append(f'<p>The same name, and arguments are fields with Keras’s names and defaults: '
                         f'<a href="{relative(name.place, owner)}"><code>{html.escape(own)}</code> in the reference</a>.</p>')
            parts.append(self._fields(own, name.place))
        if not parts:
            parts.append(f'<p>Here, under the same name. <a href="{guide}">What is here of Keras</a>, by module.</p>')
        return "".join(parts)

    def _fields(self, own, place):
        for header in self.reference.headers:
            for declared in header.declarations:
                if declared.name == own and declared.kind == "type":
                    return self.reference.members(declared, place).split('<dl class="members">')[0]
                if declared.name == own and declared.kind == "alias" and (of := re.search(r"=\s*(\w+)", declared.text)):
                    return self._fields(of.group(1), place) if of.group(1) != own else ""
        return ""

    def _where(self, path, place):
        return relative(place, self.linked.guide(path) if path.endswith(".md") else self.linked.place(path))

    def _guide_link(self, guide, place):
        def link(target):
            if re.match(r"[a-z]+:", target):
                return target
            path, mark, rest = target.partition("#")
            path = posixpath.normpath(posixpath.join("docs", path)) if path else f"docs/{guide}.md"
            goal = self.linked.guides.get(path) or self.linked.place(path)
            return relative(place, goal + mark + rest)
        return link

    def _pair(self, python, here, note, guide, place):
        link = self._guide_link(guide, place)
        if note is None:  # of a program's comment
            both = side_by_side(python.rstrip(" :"), here)
        else:
            both = (f'<div class="sides"><section><h2>Python</h2>{self._cell(python, "python", link)}</section>'
                    f'<section><h2>C++</h2>{self._cell(here, "cpp", link)}</section></div>')
            both += f"<p>{upper(Document(note, link).inline(note))}</p>" if note else ""
        source = relative(place, self.linked.guide(f"docs/{guide}.md"))
        return both + f'<p class="from">From <a href="{source}">docs/{guide}.md</a>.</p>'

    def _cell(self, text, language, link):
        codes = CODE.findall(text)
        if codes and not CODE.sub("", text).strip(" ,;"):
            return code_block("\n".join(codes), language)
        return f"<p>{Document(text, link).inline(text)}</p>"


def side_by_side(python, cpp):
    return (f'<div class="sides"><section><h2>Python</h2>{code_block(python, "python")}</section>'
            f'<section><h2>C++</h2>{code_block(cpp, "cpp")}</section></div>')


def to_python(code):
    """Dense{.units = 3, .use_bias = false} as Python writes it."""
    name, fields = re.match(r"(\w+)\{(.*)\}$", code).groups()
    fields = re.sub(r"\.(\w+) = ", r"\1=", fields).replace("{", "(").replace("}", ")").replace("'", "_")
    fields = re.sub(r"=true\b", "=True", re.sub(r"=false\b", "=False", fields))
    fields = re.sub(r"\(([^,()]+)\)", r"(\1,)", fields)
    return f"{name}({fields})"


def name_of(code):
    """The name that a line of Python is about: what it calls, or assigns to."""
    code = re.sub(r"^(with|for|next|list|len|from|import|class)\b[ (]*", "", code.strip())
    assigned = re.match(r"[\w.]+\s*=\s*(.*)", code)
    if assigned and "." not in code.split("=")[0]:
        code = assigned.group(1)
    match = CALLED.match(code)
    name = match.group(1).rstrip(".") if match else ""
    name = re.sub(r"^(ds|dataset|files)\.", "Dataset.", re.sub(r"^t\.", "Tensor.", name))
    return name if len(name) > 1 and name not in UNNAMED else None


def breakable(title):
    """May break after a dot or an underscore, on a phone."""
    return re.sub(r"([._])(?=\w)", r"\1<wbr>", html.escape(title))


def short(name):
    return name.title.rsplit(".", 1)[-1] if name.group.startswith("Keras ") and name.status else name.title


def anchor(group):
    return re.sub(r"\W+", "-", group.lower()).strip("-")


def upper(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", ":")) else ".")
