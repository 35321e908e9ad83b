"""Reads the Markdown that README and docs are written in, and gives HTML.

Headings, paragraphs, lists with items of several blocks, tables, fenced code, quotes, rules; in a line code, links,
strong and emphasized text. Every heading has the anchor that GitHub gives it, so links work in both places.
"""
import html
import re

from highlight import highlight

FENCE = re.compile(r"^(\s*)```\s*([\w+-]*)\s*$")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)(.*)$")
TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
INLINE = re.compile(
    r"(?P<code>`+)(?P<inside>.+?)(?P=code)(?!`)"
    r"|\[(?P<text>(?:[^\[\]`]|`[^`]*`|\[[^\]]*\])+)\]\((?P<target>[^)\s]+)\)"
    r"|\*\*(?P<strong>\S(?:.*?\S)?)\*\*"
    r"|(?<![\w*])\*(?P<emphasis>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
    r"|<(?P<address>https?://[^>\s]+)>")


def plain(markdown):
    """The text of a line without its marks."""
    text = re.sub(r"\[((?:[^\[\]`]|`[^`]*`)+)\]\([^)\s]+\)", r"\1", markdown)
    return re.sub(r"(`+)(.+?)\1|\*\*(\S.*?)\*\*|(?<!\w)\*(\S.*?)\*(?!\w)",
                  lambda m: m.group(2) or m.group(3) or m.group(4) or "", text).replace("\\|", "|").strip()


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Document:
    """A page's parts: `html`, `headings` as (level, text, anchor), `sections` as (heading, anchor, plain text).

    `link` gives the address for a link's target; without it, as in comments, brackets and parentheses are text.
    """

    def __init__(self, text, link=None):
        self.link = link
        self.headings, self.sections = [], [["", "", []]]
        self._anchors = {}
        lines = re.sub(r"<!--.*?-->", "", text, flags=re.S).splitlines()
        self.html = self._blocks(lines)
        self.sections = [(heading, anchor, " ".join(words)) for heading, anchor, words in self.sections]

    @property
    def title(self):
        return next((text for level, text, _ in self.headings if level == 1), "")

    def _note(self, text):
        self.sections[-1][2].append(plain(text))

    def inline(self, text):
        out, at = [], 0
        for match in INLINE.finditer(text):
            out.append(html.escape(text[at:match.start()], quote=False))
            at = match.end()
            if match.group("code"):
                out.append(f"<code>{html.escape(match.group('inside').strip(), quote=False)}</code>")
            elif match.group("text") and self.link is None:
                out.append(html.escape(match.group(), quote=False))
            elif match.group("text"):
                target = self.link(match.group("target"))
                away = ' rel="noopener"' if re.match(r"https?:", target) else ""
                out.append(f'<a href="{html.escape(target)}"{away}>{self.inline(match.group("text"))}</a>')
            elif match.group("strong"):
                out.append(f"<strong>{self.inline(match.group('strong'))}</strong>")
            elif match.group("emphasis"):
                out.append(f"<em>{self.inline(match.group('emphasis'))}</em>")
            else:
                address = html.escape(match.group("address"))
                out.append(f'<a href="{address}" rel="noopener">{address}</a>')
        out.append(html.escape(text[at:], quote=False))
        return "".join(out)

    def _blocks(self, lines):
        out, at = [], 0
        while at < len(lines):
            line = lines[at]
            if not line.strip():
                at += 1
            elif FENCE.match(line):
                at = self._fence(lines, at, out)
            elif HEADING.match(line):
                self._heading(HEADING.match(line), out)
                at += 1
            elif "|" in line and at + 1 < len(lines) and TABLE_RULE.match(lines[at + 1]):
                at = self._table(lines, at, out)
            elif ITEM.match(line):
                at = self._list(lines, at, out)
            elif line.startswith(">"):
                end = next((k for k in range(at, len(lines)) if not lines[k].startswith(">")), len(lines))
                inner = self._blocks([re.sub(r"^> ?", "", quoted) for quoted in lines[at:end]])
                out.append(f"<blockquote>{inner}</blockquote>")
                at = end
            else:
                at = self._paragraph(lines, at, out)
        return "\n".join(out)

    def _paragraph(self, lines, at, out):
        end = at + 1
        while end < len(lines) and lines[end].strip() and not (
                FENCE.match(lines[end]) or HEADING.match(lines[end]) or
                re.match(r"\s*[-*+]\s", lines[end]) or re.match(r"\s*1[.)]\s", lines[end])):
            end += 1
        text = " ".join(line.strip() for line in lines[at:end])
        self._note(text)
        out.append(f"<p>{self.inline(text)}</p>")
        return end

    def _heading(self, match, out):
        level, text = len(match.group(1)), match.group(2)
        anchor = slug(plain(text))
        count = self._anchors.get(anchor, 0)
        self._anchors[anchor] = count + 1
        if count:
            anchor = f"{anchor}-{count}"
        self.headings.append((level, plain(text), anchor))
        self.sections.append([plain(text), anchor, []])
        mark = f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>' if level > 1 else ""
        out.append(f'<h{level} id="{anchor}">{self.inline(text)}{mark}</h{level}>')

    def _fence(self, lines, at, out):
        indent, language = FENCE.match(lines[at]).groups()
        end = next((k for k in range(at + 1, len(lines)) if FENCE.match(lines[k])), len(lines))
        code = "\n".join(line.removeprefix(indent) for line in lines[at + 1:end])
        self.sections[-1][2].append(code[:1500])
        out.append(code_block(code, language))
        return end + 1

    def _table(self, lines, at, out):
        head = cells(lines[at])
        end = at + 2
        while end < len(lines) and "|" in lines[end] and lines[end].strip():
            end += 1
        rows = [cells(line) for line in lines[at + 2:end]]
        for row in rows:
            self._note(" · ".join(row))
        out.append(self.table(head, rows))
        return end

    def table(self, head, rows):
        parts = ['<div class="table"><table>']
        if any(head):
            parts.append("<thead><tr>" + "".join(f"<th>{self.inline(cell)}</th>" for cell in head) + "</tr></thead>")
        parts.append("<tbody>")
        for row in rows:
            labelled = (f'<td data-label="{html.escape(plain(head[k]) if k < len(head) else "")}">'
                        f"{self.inline(cell)}</td>" for k, cell in enumerate(row))
            parts.append("<tr>" + "".join(labelled) + "</tr>")
        parts.append("</tbody></table></div>")
        return "".join(parts)

    def _list(self, lines, at, out):
        indent, marker = len(ITEM.match(lines[at]).group(1)), ITEM.match(lines[at]).group(2)
        ordered, items, loose = marker[0].isdigit(), [], False
        while at < len(lines):
            match = ITEM.match(lines[at])
            if not match or len(match.group(1)) != indent or match.group(2)[0].isdigit() != ordered:
                break
            body = [match.group(4)]
            inner = len(match.group(1)) + len(match.group(2)) + len(match.group(3))
            at += 1
            while at < len(lines):
                line = lines[at]
                if not line.strip():
                    after = next((rest for rest in lines[at:] if rest.strip()), "")
                    if len(after) - len(after.lstrip()) < inner:
                        break
                    loose = True
                elif len(line) - len(line.lstrip()) <= indent and (ITEM.match(line) or not body[-1].strip()):
                    break
                elif HEADING.match(line) or (FENCE.match(line) and not line.startswith(" ")):
                    break
                body.append(line[inner:] if not line[:inner].strip() else line.lstrip())
                at += 1
            items.append(self._blocks(body))
            after = next((k for k in range(at, len(lines)) if lines[k].strip()), len(lines))
            follows = after < len(lines) and ITEM.match(lines[after])
            loose = loose or bool(after > at and follows and len(follows.group(1)) == indent)
            at = after
        start = f' start="{int(marker[:-1])}"' if ordered and int(marker[:-1]) != 1 else ""
        tag = "ol" if ordered else "ul"
        if not loose:
            items = [re.sub(r"<p>(.*?)</p>", r"\1", item, flags=re.S) for item in items]
        out.append(f"<{tag}{start}>" + "".join(f"<li>{item}</li>" for item in items) + f"</{tag}>")
        return at


def cells(line):
    """The cells of a table's row. A bar that is not a border is written `\\|`, in code, too, as GitHub wants it."""
    found = re.split(r"(?<!\\)\|", re.sub(r"(?<!\\)\|$", "", line.strip().removeprefix("|")))
    return [cell.strip().replace("\\|", "|") for cell in found]


def code_block(code, language):
    name = f' data-language="{language}"' if language else ""
    return f'<div class="code"{name}><pre tabindex="0"><code>{highlight(code, language)}</code></pre></div>'
