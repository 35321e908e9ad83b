"""Reads our headers: what they declare, with the comments that stand above or beside it.

Not a reader of all C++, but of ours: clang-format lays the files out, and but for PyTorch's activations no macro declares what users name.
"""
import dataclasses
import pathlib
import re

BRACKETS = re.compile(r"//|/\*|R\"|[\"'()\[\]{}]")
STOPS = re.compile(r"//|/\*|R\"|[\"'(\[{;=]")
OPERATOR = re.compile(r"operator\W*$")
INTERNAL = re.compile(r"(^|_)(internal|detail)$")


@dataclasses.dataclass
class Declaration:
    kind: str  # type, function, value, alias, concept, enum, macro
    name: str
    scope: str  # data::Dataset; empty in namespace systolic itself
    text: str  # as it stands in the header, without a body
    comment: str
    line: int
    members: list = dataclasses.field(default_factory=list)
    default: str = ""  # of a value
    after: str = ""  # the declaration above, whose comment this one shares

    @property
    def qualified(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name


@dataclasses.dataclass
class Header:
    path: str
    comment: str
    declarations: list


def closure(root, tops):
    """The headers that `tops` include, in the order of their first inclusion."""
    seen = {}

    def visit(path):
        if path in seen or not (root / path).exists():
            return
        text = (root / path).read_text()
        seen[path] = text
        for included in re.findall(r'^#include "([^"]+)"', text, re.M):
            visit(included)

    for top in tops:
        visit(top)
    return seen


def read(path, text):
    reader = Reader(text)
    comment = reader.leading_comment()
    reader.scope([], len(text), "")
    return Header(path, comment, reader.found)


class Reader:
    def __init__(self, text):
        self.text, self.at, self.found = text, 0, []

    # --- the text ---
    def leading_comment(self):
        """The comment at the head of the file, before #pragma once."""
        lines = []
        for line in self.text.splitlines():
            if not line.startswith("//"):
                break
            lines.append(line)
        self.at = sum(len(line) + 1 for line in lines)
        return uncomment(lines)

    def skip_literal(self, at):
        """The end of the string, character or comment that starts at `at`, else `at` itself."""
        text = self.text
        if text.startswith("//", at):
            end = text.find("\n", at)
            return len(text) if end < 0 else end
        if text.startswith("/*", at):
            return text.index("*/", at) + 2
        if text.startswith('R"', at):
            return text.index(")" + text[at + 2:text.index("(", at)] + '"', at) + 2
        if text[at] in "\"'" and not (text[at] == "'" and re.match(r"\w", text[at - 1])):
            end = at + 1
            while text[end] != text[at]:
                end += 2 if text[end] == "\\" else 1
            return end + 1
        return at

    def matching(self, at):
        """Where the bracket at `at` is closed."""
        depth = 0
        while match := BRACKETS.search(self.text, at):
            at = match.start()
            after = self.skip_literal(at)
            if after > at:
                at = after
                continue
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.text[at], 0)
            if depth == 0:
                return at
            at += 1
        raise ValueError("a bracket is not closed")

    # --- declarations ---
    def scope(self, into, end, name, access="public"):
        """Declarations up to `end`: of a namespace (into `found`) or of a type (into the list `into`)."""
        target = self.found if into is None else into
        comment, leader = [], ""
        while self.at < end:
            line_end = self.text.find("\n", self.at)
            line_end = end if line_end < 0 else min(line_end, end)
            line = self.text[self.at:line_end].strip()
            if not line:
                if self.blank():
                    comment, leader = [], ""
                self.at = line_end + 1
            elif line.startswith("//"):
                comment.append(line)
                self.at = line_end + 1
            elif line.startswith("#"):
                while self.text[self.at:line_end].endswith("\\"):
                    line_end = self.text.find("\n", line_end + 1)
                self.at, comment = line_end + 1, []
            elif re.match(r"(public|private|protected):", line):
                access, comment = line[:-1].split(":")[0], []
                self.at = line_end + 1
            elif line.startswith("}"):
                self.at, comment = self.text.index("}", self.at) + 1, []
            else:
                count = len(target)
                self.declaration(into, end, name, access, uncomment(comment))
                if made := target[count:count + 1]:
                    if made[0].comment:
                        leader = made[0].name
                    elif made[0].kind == "function":
                        made[0].after = leader
                comment = []

    def blank(self):
        """Whether the line at `at` is empty, and not merely what is left of one."""
        return self.at == 0 or self.text[self.at - 1] == "\n"

    def declaration(self, into, end, scope, access, comment):
        while self.text[self.at] in " \t\n":
            self.at += 1
        start = self.at
        if namespace := re.compile(r"(?:inline )?namespace ((?:inline |[\w:])*)\s*\{").match(self.text, start):
            return self.namespace(namespace, scope)
        head_end, stop, body = self.extent(start)
        head = self.text[start:head_end].strip()
        trailing = re.compile(r"[ \t]*//[ \t]?([^\n]*)").match(self.text, stop)
        beside = [trailing.group()] if trailing else []
        self.at = trailing.end() if trailing else stop
        if beside:
            column = self.text.index("//", stop) - self.text.rfind("\n", 0, stop)
            while again := re.compile(r"\n([ \t]*)//[^\n]*").match(self.text, self.at):
                if len(again.group(1)) + 1 != column:
                    break
                beside.append(again.group().strip())
                self.at = again.end()
        words = "\n".join(filter(None, [comment, uncomment([line.strip() for line in beside])]))
        if access == "public":
            self.note(into, scope, head, start, words, body)
        self.at = max(self.at, stop)

    def namespace(self, match, scope):
        words = re.sub(r"inline |\bv0\b", "", match.group(1)).strip()
        name = re.sub(r"^(?:systolic)?(?:::)*|(?:::)+$", "", words)
        close = self.matching(match.end() - 1)
        if INTERNAL.search(name) or not words:
            self.at = close + 1
            return
        self.at = match.end()
        self.scope(None, close, "::".join(filter(None, [scope, name])))
        self.at = close + 1

    def extent(self, start):
        """(end of the head, end of the declaration, (begin, end) of a type's body or None)."""
        text, at = self.text, start
        if prefix := template_prefix(text, start):
            at = prefix
        is_type = re.compile(r"\s*(?:requires [^\n]*\n\s*)?(class|struct|union|enum( class)?)\b[^(;=]*?\{").match(text, at)
        assigned = False
        while match := STOPS.search(text, at):
            at = match.start()
            after = self.skip_literal(at)
            if after > at:
                at = after
                continue
            sign = text[at]
            if sign == ";":
                return at, at + 1, None
            if sign == "=" and not OPERATOR.search(text, max(start, at - 12), at) and text[at - 1] not in "<>!=" \
                    and text[at + 1] != "=":
                assigned = True
            if sign in "([":
                at = self.matching(at)
            elif sign == "{":
                close = self.matching(at)
                if is_type:
                    return at, text.index(";", close) + 1, (at + 1, close)
                if not assigned and text[at - 1] in " \n" and ")" in text[start:at]:
                    stop = close + 1
                    return self.body_head(start, at), stop + (text[stop:stop + 1] == ";"), None
                at = close
            at += 1
        raise ValueError("a declaration without an end: " + text[start:start + 80])

    def body_head(self, start, body):
        """Where a function's head ends: before its body and the initializers of a constructor."""
        at = start
        while at < body:
            if self.text[at] == "(":
                at = self.matching(at)
            elif self.text.startswith(" : ", at) or self.text.startswith("\n", at) and re.match(r"\s+: ", self.text[at:at + 20]):
                return at
            at += 1
        return body

    def note(self, into, scope, head, start, comment, body):
        made = describe(head)
        if made is None or (made[0] in ("type", "enum") and not body):
            return  # nothing of its own, or declared here and defined elsewhere
        kind, names, default = made
        line = self.text.count("\n", 0, start) + 1
        target = self.found if into is None else into
        for name in names:
            declared = Declaration(kind, name, scope, tidy(head), comment, line, default=default)
            target.append(declared)
            if body and kind == "type":
                self.at = body[0]
                self.scope(declared.members, body[1], declared.qualified,
                           "private" if re.search(r"(^|>\s*)class ", head) else "public")
            elif body and kind == "enum":
                declared.members = self.enumerators(body, declared.qualified)

    def enumerators(self, body, scope):
        inside, found = self.text[body[0]:body[1]], []
        clean = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), inside)
        for match in re.finditer(r"(\w+)\s*(=\s*[^,]+)?(?:,|\s*$)", clean):
            rest = inside[match.end():].split("\n", 1)[0].strip()
            above = []
            for line in reversed(inside[:match.start()].rstrip(" ").split("\n")[:-1]):
                if not line.strip().startswith("//"):
                    break
                above.insert(0, line.strip())
            words = uncomment(above) or (uncomment([rest]) if rest.startswith("//") else "")
            found.append(Declaration("value", match.group(1), scope, match.group(1), words, 0))
        return found


def template_prefix(text, start):
    """The end of `template <...>`, or None."""
    if not text.startswith("template", start):
        return None
    at, depth = text.index("<", start), 0
    while True:
        if text[at] == "(":
            depth += 100
        elif text[at] == ")":
            depth -= 100
        depth += {"<": 1, ">": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    return after_requires(text, at)


def after_requires(text, at):
    """The end of the requires clause that may stand at `at`: an expression in brackets, or names joined by && and ||."""
    clause = re.compile(r"\s*requires\b\s*").match(text, at)
    if not clause:
        return at
    reader, at = Reader(text), clause.end()
    while True:
        if text.startswith("requires", at):  # an expression: parameters, and what must compile
            at = reader.matching(text.index("{", reader.matching(at + 8) if text[at + 8] == "(" else at)) + 1
        elif text[at] == "(":
            at = reader.matching(at) + 1
        else:
            at = re.compile(r"!?[\w:]+").match(text, at).end()
            depth = 0
            while text[at] == "<" or depth:
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1
        joined = re.compile(r"\s*(&&|\|\|)\s*").match(text, at)
        if not joined:
            return at
        at = joined.end()


def uncomment(lines):
    lines = [re.sub(r"^// ?", "", line) for line in lines]
    lines = [line for line in lines if not re.match(r"clang-format o(n|ff)|NOLINT|-+$", line.strip())]
    return re.sub(r"NOLINT(\([\w,.-]*\))?:? ?", "", "\n".join(lines)).strip("\n")


def tidy(head):
    return re.sub(r"\s*//[^\n]*", "", head).strip()


SKIPPED = re.compile(r"(friend|static_assert|extern|using namespace|namespace \w+ =)\b|template <>|template class|(class|struct|union|enum|enum class) [\w:]+(\s*:\s*\w+)?$")


def describe(head):
    """(kind, names, default) of a declaration, or None for what is not a name of its own."""
    plain = re.sub(r"\[\[\w+(\(.*?\))?\]\]\s*", "", tidy(head))
    if prefix := template_prefix(plain, 0):
        if plain.startswith("template <>"):
            return None
        plain = plain[prefix:].strip()
    if not plain or (SKIPPED.match(plain) and "{" not in head and not re.match(r"(class|struct|enum)", plain)):
        return None
    if match := re.match(r"(?:class|struct|union) (?:SYSTOLIC_\w+ )?([\w:]+)(?:<.*>)?", plain):
        return None if "::" in match.group(1) else ("type", [match.group(1)], "")
    if match := re.fullmatch(r"SYSTOLIC_TORCH_ACTIVATION\((\w+), .*\)", plain):
        return "macro", [match.group(1)], ""
    if match := re.match(r"enum (?:class |struct )?(\w+)", plain):
        return "enum", [match.group(1)], ""
    if match := re.match(r"using (\w+) =", plain):
        return "alias", [match.group(1)], ""
    if re.match(r"(using|typedef)\b", plain):
        return None
    if match := re.match(r"concept (\w+)", plain):
        return "concept", [match.group(1)], ""
    return function_or_value(plain)


def function_or_value(plain):
    if match := re.search(r"\boperator\s*(\(\)|\[\]|\"\"\s*\w+|[^\s\w(]+|[\w:<>,&* ]+?)\s*\(", plain):
        if re.search(r"=\s*(default|delete)$", plain):
            return None
        return "function", ["operator" + ("" if not match.group(1)[0].isalpha() else " ") + match.group(1).strip()], ""
    flat = without_angles(re.sub(r"\bdecltype\(auto\)", "auto", plain))
    equal = re.search(r"(?<![<>!=])=(?!=)", flat)
    paren = flat.find("(")
    if paren >= 0 and (not equal or paren < equal.start()):
        name = re.search(r"(~?\w+)\s*$", flat[:paren])
        if re.search(r"::~?\w+\s*$", flat[:paren]):
            return None  # a member that is defined outside of its type
        if not name or name.group(1).startswith(("~", "SYSTOLIC_")) or re.search(r"=\s*(default|delete)$", flat):
            return None
        return "function", [name.group(1)], ""
    default = plain.split("=", 1)[1].strip() if equal else ""
    names = [re.search(r"(\w+)\s*$", re.split(r"[={\[]", part)[0].strip()) for part in without_brackets(flat).split(",")]
    names = [match.group(1) for match in names if match]
    if not names or len(flat.split()) < 2:
        return None
    return "value", names, default if len(names) == 1 else ""


def without_brackets(text):
    """The text with what stands between brackets left out."""
    while (shorter := re.sub(r"\{[^{}()]*\}|\([^(){}]*\)", "{", text)) != text:
        text = shorter
    return text


def without_angles(text):
    """The text with what stands between < and > blanked, for commas and parentheses there are a type's."""
    out, depth = [], 0
    for k, sign in enumerate(text):
        if sign == "<" and k and (text[k - 1].isalnum() or text[k - 1] == "_"):
            depth += 1
        out.append(" " if depth else sign)
        if sign == ">" and depth and text[k - 1] != "-":
            depth -= 1
    return "".join(out)


def read_all(root, tops):
    found = []
    for path, text in closure(pathlib.Path(root), tops).items():
        try:
            found.append(read(path, text))
        except (ValueError, IndexError) as error:
            raise SystemExit(f"{path}: tools/site/headers.py cannot read this header: {error}") from error
    return found
