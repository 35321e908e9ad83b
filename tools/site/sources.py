"""Sources that the guides link to: each gets a page, so that no link leads out of the site."""
import html

from highlight import highlight
from page import Page, relative

LANGUAGES = {".h": "cpp", ".cc": "cpp", ".def": "cpp", ".inc": "cpp", ".py": "python", ".sh": "sh", ".cmake": "cmake",
             ".json": "json", ".yaml": "yaml"}
LARGEST = 200_000  # characters; of longer files the beginning is shown


class Sources:
    def __init__(self, root):
        self.root, self._places, self.guides = root, {}, {}

    def guide(self, path):
        """Where the page of a Markdown file stands."""
        return self.guides[path]

    def place(self, path):
        """Where the page of a file or folder of the project stands; it will be made."""
        full = self.root / path
        if not full.exists():
            raise SystemExit(f"a page links to {path}, which does not exist")
        place = f"source/{path}/index.html" if full.is_dir() else f"source/{path}.html"
        self._places[path] = place
        return place

    def pages(self):
        for path in [path for path in self._places if (self.root / path).is_dir()]:
            for child in sorted((self.root / path).iterdir()):
                if child.name in ("README.md", "CMakeLists.txt", "main.cc") or child.suffix == ".h":
                    self.place(child.relative_to(self.root).as_posix())
        return [self._page(path, place) for path, place in sorted(self._places.items())]

    def _page(self, path, place):
        full = self.root / path
        body = self._folder(path, place) if full.is_dir() else self._file(full)
        return Page(place, path, f"<h1><code>{html.escape(path)}</code></h1>{body}", kind="Source",
                    about=f"{path}, as it stands in the sources.", sections=[(path, "", "")], wide=True)

    def _folder(self, path, place):
        rows = []
        for child in sorted((self.root / path).iterdir(), key=lambda child: (child.is_file(), child.name)):
            if child.name.startswith(".") or child.name in ("__pycache__", "build"):
                continue
            name = child.relative_to(self.root).as_posix()
            label = html.escape(child.name + ("/" if child.is_dir() else ""))
            known = self._places.get(name)
            rows.append(f'<li><a href="{relative(place, known)}">{label}</a></li>' if known else f"<li>{label}</li>")
        return f'<ul class="files">{"".join(rows)}</ul>'

    def _file(self, full):
        text = full.read_text(errors="replace")[:LARGEST].rstrip("\n")
        numbers = "\n".join(f'<a id="L{k}" href="#L{k}">{k}</a>' for k in range(1, text.count("\n") + 2))
        code = highlight(text, LANGUAGES.get(full.suffix, "txt"))
        return (f'<div class="code listing"><pre class="numbers" aria-hidden="true">{numbers}</pre>'
                f'<pre tabindex="0"><code>{code}</code></pre></div>')
