"""Texts that tokenizers get wrong: real lines, mixed scripts, odd Unicode, rare whitespace, special tokens."""
import random

SPACES = [chr(c) for c in (0x9, 0xA, 0xB, 0xC, 0xD, 0x20, 0x85, 0xA0, 0x1680, 0x2000, 0x2003, 0x2009, 0x200A, 0x200B,
                           0x200C, 0x200D, 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF, 0x1C, 0x1D, 0x1F)]
BLOCKS = [(0x20, 0x7F), (0x20, 0x7F), (0x80, 0x100), (0x100, 0x250), (0x250, 0x370), (0x300, 0x370), (0x370, 0x400),
          (0x400, 0x530), (0x590, 0x600), (0x600, 0x700), (0x900, 0x980), (0xE00, 0xE80), (0x1100, 0x1200),
          (0x1E00, 0x2000), (0x2000, 0x2070), (0x20A0, 0x2300), (0x2460, 0x2500), (0x2E80, 0x3100), (0x3040, 0x3100),
          (0x3130, 0x3400), (0x3400, 0x4E00), (0x4E00, 0xA000), (0xA640, 0xA800), (0xAC00, 0xD7B0), (0xF900, 0xFB00),
          (0xFB00, 0xFE00), (0xFE00, 0x10000), (0x10000, 0x11000), (0x11000, 0x12000), (0x16A00, 0x17000),
          (0x1D100, 0x1D800), (0x1F000, 0x1FB00), (0x20000, 0x20400), (0x2F800, 0x2FA20), (0xE0000, 0xE0200),
          (0xF0000, 0xF0010), (0, 0x20), (0, 0x110000)]
PIECES = ["'s", "'t", "'re", "'VE", "'Ll", "\u2019s", "'\u017f", "don't", "  ", "\r\n", "\n\n", " \n ", "##", "##ing", "...",
          "1234567", "3.14", "\u0301", "e\u0301", "\u0130", "\ufb01", "\u1e9e", "\u00df", "\uac00\u11a8", "\u1112\u1161\u11ab",
          "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\u0915\u094d\u0937", "\u2581", "\u0120", "\ufffd",
          "\x00", "\u4e2d\u6587", "\u65e5\u672c\u8a9e\u306e\u30c6\u30b9\u30c8", "\ud55c\uad6d\uc5b4", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
          "\u1100\u1161\u11a8\u11a8", "\ua960\ud7b0\ud7cb", "\u1100\u1100\u1161", "\u1161\u11a8", "\uac00\u0301\u11a8",  # jamo
          "q\u0307\u0323", "a\u0345\u0301\u0323\u0327", "\u0301\u0301", "\u0f71\u0f74\u0f72", "\u05e9\u05bc\u05c1\u05b8",  # marks
          "\u0378", "\u2fe0", "\U000e0080", "\ufffe", "\U0001fffe", "\u0080\u009f", "\x7f",  # unassigned, not characters, controls
          "\U0001f44d\U0001f3fd", "\u2764\ufe0f\u200d\U0001f525", "\U0001f3f4\U000e0067\U000e0062\U000e007f", "1\ufe0f\u20e3",
          "\u202e\u05d0\u05d1\u202c", "\u2067\u0634\u2069", "\u200fa\u200e", "\u0644\u0627\u064b", "\ufdfa", "\ufefb",  # right to left
          "\u0e20\u0e32\u0e29\u0e32", "na\u00efve", "\u0391\u03a3", "\u03a3", "A\u030a\u0323", "<0x0A>", "_", "a_b", "\u00ad", "\u02b0"]


def character():
    while True:
        c = random.randrange(*random.choice(BLOCKS))
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def random_text():
    return "".join(character() for _ in range(random.randrange(0, 24)))


def mutated(line):
    characters = list(line)
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(characters) + 1)
        what = random.random()
        if what < 0.4:
            characters.insert(at, character())
        elif what < 0.6:
            characters.insert(at, random.choice(SPACES))
        elif what < 0.9:
            characters.insert(at, random.choice(PIECES))
        else:
            del characters[at:at + random.randrange(1, 4)]
    return "".join(characters)


def mixed(lines, tokens):
    parts = []
    for _ in range(random.randrange(1, 8)):
        what = random.random()
        if what < 0.3:
            parts.append(random.choice(random.choice(lines).split() or [""]))
        elif what < 0.5:
            parts.append(random.choice(PIECES))
        elif what < 0.65:
            parts.append(random.choice(SPACES) * random.randrange(1, 3))
        elif what < 0.8 and tokens:
            parts.append(random.choice(tokens))
        else:
            parts.append("".join(character() for _ in range(random.randrange(1, 5))))
    return random.choice(["", " "]).join(parts)


def generate(count, lines, tokens):
    texts = []
    for i in range(count):
        kind = i % 4
        line = random.choice(lines)
        texts.append(line if kind == 0 and i < 2 * len(lines) else random_text() if kind == 1 else
                     mixed(lines, tokens) if kind == 2 else mutated(line))
    return texts
