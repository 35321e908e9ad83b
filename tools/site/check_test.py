#!/usr/bin/env python3
"""That the reader of Markdown gives what GitHub gives, and that the check of the site finds each kind of fault."""
import pathlib
import re
import sys
import tempfile
import unittest

import check
from markdown_reader import Document, cells, plain

GOOD = '<title>{title}</title><h1 id="top">{title}</h1><p><a href="#top">up</a> {more}</p>'
# What is wrong, and the words that say so.
WRONG = [
    ('<a href="missing.html">x</a>', "leads nowhere"),
    ('<a href="other.html#missing">x</a>', "no such anchor"),
    ('<a href="#missing">x</a>', "no such anchor"),
    ('<a href="../up.html">x</a>', "leads out of the site"),
    ('<a href="javascript:alert(1)">x</a>', "a link of another kind"),
    ('<b id="top">x</b>', "comes twice"),
    ("<b><i>x</b></i>", "closes something else"),
    ("<b>x", "closes something else"),
    ("<h1>x</h1>", "2 first headings"),
    ('<img src="https://example.com/x.png">', "from elsewhere"),
    ('<img src="//example.com/x.png">', "from elsewhere"),
    ('<script src="missing.js"></script>', "does not exist"),
    ('<b style="background: url(x.png)">x</b>', "a style that loads"),
    ("<svg></svg>", "a picture without words"),
]
MARKDOWN = [
    ("*a* **b** `c*d*`", "<p><em>a</em> <strong>b</strong> <code>c*d*</code></p>"),
    ("a < b & c", "<p>a &lt; b &amp; c</p>"),
    ("[`f`](x.h) [a [b]](y)", '<p><a href="x.h"><code>f</code></a> <a href="y">a [b]</a></p>'),
    ("1. a\n\n   b\n2. c", "<ol><li><p>a</p>\n<p>b</p></li><li><p>c</p></li></ol>"),
    ("0. a\n1. b", '<ol start="0"><li>a</li><li>b</li></ol>'),
    ("- a\n  b\n- c", "<ul><li>a b</li><li>c</li></ul>"),
    ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
    ("> a\n> b", "<blockquote><p>a b</p></blockquote>"),
    ("a\n<!-- note -->\nb", "<p>a</p>\n<p>b</p>"),
]


class Markdown(unittest.TestCase):
    def test_blocks(self):
        for text, wanted in MARKDOWN:
            with self.subTest(text):
                self.assertEqual(Document(text, lambda target: target).html, wanted)

    def test_cells(self):
        self.assertEqual(cells(r"| a \| b | `x\|y` | c |"), ["a | b", "`x|y`", "c"])
        self.assertEqual(cells("| a | | b |"), ["a", "", "b"])

    def test_headings(self):
        document = Document("# A `b_c`\n## Twice\n## Twice\n```\n# no heading\n```")
        self.assertEqual(document.headings, [(1, "A b_c", "a-b_c"), (2, "Twice", "twice"), (2, "Twice", "twice-1")])

    def test_plain(self):
        self.assertEqual(plain("**a** [`b`](c) *d*"), "a b d")


class Check(unittest.TestCase):
    def faults(self, more, search=("index.html", "other.html")):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "assets").mkdir()
            (folder / "index.html").write_text(GOOD.format(title="Index", more=more))
            (folder / "other.html").write_text(GOOD.format(title="Other", more=""))
            entries = ",".join(f'["Guide","x","","{place}",""]' for place in search)
            (folder / "search_index.js").write_text(f"window.systolicSearch=[{entries}];\n")
            return check.check(folder)[1]

    def test_good(self):
        self.assertEqual(self.faults('<a href="other.html#top">x</a>'), [])

    def test_wrong(self):
        for more, words in WRONG:
            with self.subTest(more):
                self.assertIn(words, "\n".join(self.faults(more)))

    def test_search(self):
        self.assertIn("does not know other.html", "\n".join(self.faults("", ["index.html"])))
        self.assertIn("which does not exist", "\n".join(self.faults("", ["index.html", "other.html", "third.html"])))
        self.assertIn("twice", "\n".join(self.faults("", ["index.html", "other.html", "other.html"])))
        self.assertIn("no such anchor", "\n".join(self.faults("", ["index.html", "other.html#missing"])))


class Mistakes(unittest.TestCase):
    def test_page_says_what_the_compiler_says(self):
        """docs/mistakes.md has the words of each expression that tests/compile_fail keeps."""
        root = pathlib.Path(__file__).resolve().parents[2]
        page = " ".join((root / "docs/mistakes.md").read_text().split())
        kept = re.findall(r'^wrong\((\w+) \[\[.*?\]\]\s*"([^"]*)"\)', (root / "tests/compile_fail/compile_fail.cmake").read_text(),
                          re.M | re.S)
        self.assertGreaterEqual(len(kept), 20)
        for name, wanted in kept:
            words = re.split(r"[.*|<(\\]", wanted)[0].strip()
            with self.subTest(name):
                self.assertIn(words, page)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=0).result.wasSuccessful() else 1)
