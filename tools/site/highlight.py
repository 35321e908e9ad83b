"""Colours code while the site is built: spans of one letter, which style.css gives colours for light and dark."""
import html
import re

CPP_WORDS = """alignas auto bool break case catch char class concept const constexpr continue default delete do double
else enum explicit export extern false float for friend if inline int int8_t int16_t int32_t int64_t long mutable
namespace new noexcept nullptr operator override private protected public requires return short signed size_t sizeof
static static_assert static_cast struct switch template this throw true try typename uint8_t uint16_t uint32_t uint64_t
union unsigned using virtual void volatile while final reinterpret_cast dynamic_cast const_cast""".split()
PYTHON_WORDS = """and as assert async await break class continue def del elif else except False finally for from global
if import in is lambda None nonlocal not or pass raise return True try while with yield""".split()
SHELL_WORDS = "if then else elif fi for in do done while case esac function export local return source cd exec".split()

NUMBER = r"(?P<n>\b(?:0x[\da-fA-F']+|\d[\d']*(?:\.\d+)?(?:[eE][+-]?\d+)?)[fFuUlL]*\b)"
RULES = {
    "cpp": (r"(?P<c>//[^\n]*|/\*.*?\*/)|(?P<s>\"(?:\\.|[^\"\\\n])*\"|R\"\((?:.|\n)*?\)\"|'(?:\\.|[^'\\\n])')"
            r"|(?P<p>^\s*#\s*\w+(?:\s+[<\"][^>\"\n]*[>\"])?)|(?P<f>(?<![\w)\]])\.[a-z_]\w*(?=\s*=[^=]))"
            r"|" + NUMBER + r"|(?P<w>[A-Za-z_]\w*)", CPP_WORDS),
    "python": (r"(?P<c>#[^\n]*)|(?P<s>[rbf]?\"\"\".*?\"\"\"|[rbf]?\"(?:\\.|[^\"\\\n])*\"|[rbf]?'(?:\\.|[^'\\\n])*')"
               r"|(?P<p>^\s*@[\w.]+)|" + NUMBER + r"|(?P<w>[A-Za-z_]\w*)", PYTHON_WORDS),
    "sh": (r"(?P<c>(?:^|(?<=\s))#[^\n]*)|(?P<s>\"(?:\\.|[^\"\\])*\"|'[^']*')|(?P<p>\$\{?\w+\}?)|(?P<f>(?<=\s)--?[A-Za-z][\w-]*)"
           r"|(?P<w>[A-Za-z_./][\w./-]*)", SHELL_WORDS),
    "cmake": (r"(?P<c>#[^\n]*)|(?P<s>\"(?:\\.|[^\"\\])*\")|(?P<p>\$\{\w+\})|(?P<k>^\s*\w+(?=\())|(?P<w>\b[A-Za-z_][\w:-]*)", []),
    "yaml": (r"(?P<c>#[^\n]*)|(?P<s>\"[^\"\n]*\"|'[^'\n]*')|(?P<k>[\w-]+(?=:))|" + NUMBER, []),
    "json": (r"(?P<k>\"(?:\\.|[^\"\\])*\"(?=\s*:))|(?P<s>\"(?:\\.|[^\"\\])*\")|" + NUMBER, []),
}
RULES.update({"c++": RULES["cpp"], "h": RULES["cpp"], "cc": RULES["cpp"], "def": RULES["cpp"], "py": RULES["python"],
              "bash": RULES["sh"], "txt": (r"(?P<c>^#[^\n]*)", [])})
COMPILED = {name: (re.compile(rule, re.M | re.S), frozenset(words)) for name, (rule, words) in RULES.items()}


def highlight(code, language):
    if language not in COMPILED:
        return html.escape(code, quote=False)
    rule, words = COMPILED[language]
    out, at = [], 0
    for match in rule.finditer(code):
        out.append(html.escape(code[at:match.start()], quote=False))
        at = match.end()
        kind, text = match.lastgroup, html.escape(match.group(), quote=False)
        if kind == "w":
            kind = word_kind(match.group(), code, match.end(), words, language)
        out.append(f'<i class="{kind}">{text}</i>' if kind else text)
    out.append(html.escape(code[at:], quote=False))
    return "".join(out)


def word_kind(word, code, end, words, language):
    """k: of the language, t: a type, u: what is called; None: another name."""
    if word in words:
        return "k"
    if language in ("cpp", "c++", "h", "cc", "python", "py"):
        if re.match(r"[A-Z]\w*[a-z]", word):
            return "t"
        if code.startswith("(", end):
            return "u"
    return None
