"""Where a public name is used in what CI builds and runs: programs of the guides, examples/, then tests."""
import re

WORD = re.compile(r"[A-Za-z_]\w*")
LONGEST = 14  # lines of an example


class Examples:
    """`found`: qualified name to (path, line, code)."""

    def __init__(self, root, declarations):
        self.root, self.found, self.wanted = root, {}, {}
        for declared in declarations:
            known = self.wanted.setdefault(declared.name, {})
            known[declared.qualified] = declared
        for place, label, text in self.texts():
            self.scan(place, label, text)

    def texts(self):
        """(path, label, text), the best examples first."""
        from check_docs import prose_and_blocks
        for path in [self.root / "README.md", *sorted((self.root / "docs").glob("*.md"))]:
            for line, language, block in prose_and_blocks(path)[1]:
                if language == "cpp" and re.search(r"\bint main\(", block):
                    yield path.relative_to(self.root).as_posix(), line, block
        for pattern in ("examples/**/*.cc", "systolic/**/*_test.cc", "tests/**/*.cc", "backends/**/*_test.cc"):
            for path in sorted(self.root.glob(pattern)):
                if "fuzz" not in path.parts:
                    yield path.relative_to(self.root).as_posix(), 1, path.read_text()

    def scan(self, path, first, text):
        lines, opened = None, Opened(text)
        for match in WORD.finditer(text):
            candidates = self.wanted.get(match.group())
            if not candidates:
                continue
            for qualified in [name for name, declared in candidates.items() if used(declared, match, text, opened)]:
                number = text.count("\n", 0, match.start())
                lines = lines or text.splitlines()
                if qualified in self.found or re.match(r"\s*(#include|using|TEST|namespace|//)", lines[number]):
                    continue
                begin, end = statement(lines, number)
                self.found[qualified] = (path, first + begin, dedent(lines[begin:end]))
            if all(qualified in self.found for qualified in candidates):
                del self.wanted[match.group()]


class Opened:
    """What a file may write without its namespace, and the short names that it gives to namespaces."""

    def __init__(self, text=""):
        text = re.sub(r"\b(systolic|inline v0)::", "", text)
        self.spaces = set(re.findall(r"^\s*(?:using )?namespace ([\w:]+)\s*[{;]", text, re.M))
        self.names = set(re.findall(r"^\s*using ([\w:]+);", text, re.M))
        self.aliases = {short: whole.rsplit("::", 1)[-1]
                        for short, whole in re.findall(r"^\s*namespace (\w+) = ([\w:]+);", text, re.M)}


def used(declared, match, text, opened=Opened()):
    """Whether the word is this name and not a field, a text, a comment or a name of another scope."""
    before = text[max(0, match.start() - 40):match.start()]
    if before.endswith((".", '"', "->")) or text.rfind("\n", 0, match.start()) < text.rfind("//", 0, match.start()):
        return False
    prefix = re.search(r"(\w+)::$", before)
    if declared.kind == "function" and text[match.end():match.end() + 1] not in ("(", "<"):
        return False
    scope = declared.scope.rsplit("::", 1)[-1]
    if prefix:
        return opened.aliases.get(prefix.group(1), prefix.group(1)) == (scope or "systolic")
    return not scope or declared.scope in opened.spaces or declared.qualified in opened.names


def statement(lines, at):
    """The lines of the statement at `at`, and what it needs to be read: at most LONGEST."""
    begin = at
    while begin > 0 and at - begin < LONGEST // 2 and lines[begin - 1].strip() and \
            not re.search(r"[;{}]\s*(//.*)?$", lines[begin - 1]):
        begin -= 1
    while begin > 0 and lines[begin - 1].strip().startswith("//"):
        begin -= 1
    end = at + 1
    while end < len(lines) and end - begin < LONGEST and not re.search(r"[;}]\s*(//.*)?$", lines[end - 1]):
        end += 1
    return begin, end


def dedent(lines):
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[depth:] for line in lines)
