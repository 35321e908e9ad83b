"""Random tokenizers: parts of every kind with odd settings, put together as nobody does."""
import json
import random

from tokenizers import Tokenizer, trainers

import kinds_of_texts

WORDS = ["", " ", "a", "e", "ab", "the", "##", "</w>", "\u2581", "\u0120", "\u00e9", "\u4e2d", "'", ".", "  ", "A", "\u0130", "x y", "\u0301"]
CLASSES = [r"\p{L}", r"\p{N}", r"\s", r"\S", r"\w", r"\W", r"\d", r"\P{L}", r"\p{Lu}", r"\p{Han}", r"\p{Greek}", "[aeiou]", "[^a-z]",
           "[a-z&&[^aeiou]]", "[[:alpha:]]", "[[:^punct:]]", ".", r"\h", r"\R", r"\X", r"\p{M}", r"\p{P}", r"\p{S}", r"[\r\n]", "e",
           "th", " ", r"\x{2581}", "[\u4e00-\u9fff]", "(?i:S)", "(?i:\u00df)", r"[^\s\p{L}\p{N}]"]
REPEATS = ["", "", "", "+", "*", "?", "{2}", "{1,3}", "+?", "*?", "??", "++", "*+", "{,2}"]
AROUND = ["", "", "", "", "^", r"\b", r"\B", "(?=e)", "(?!a)", "(?<=a)", "(?<!e)", r"\A"]
BEHIND = ["", "", "", "", "$", r"\b", r"(?=\s)", r"(?!\S)", r"\z", r"\Z"]
WHOLE = [r"(\p{L})\1", r"(?<x>a|e)\k<x>", "(?>a+)e", "", "|a", r"(?x) a b # c", "(?m:a.b)", r"\G.", "(a|ab)(c|bcd)*", r"(?:\p{L}\p{M}*)+",
         r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
         r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t)?|\p{N}{1,3}|\s+",
         r"\p{N}{3}(?=(\p{N}{3})*\b)|\p{N}+", r" ?[^(\s|[.,!?…。，、।۔،])]+"]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
SPECIALS = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]


def flip():
    return random.random() < 0.5


def expression():
    if random.random() < 0.35:
        return random.choice(WHOLE)
    alternatives = ["".join([random.choice(AROUND)] + [random.choice(CLASSES) + random.choice(REPEATS)
                                                       for _ in range(random.randrange(1, 4))] + [random.choice(BEHIND)])
                    for _ in range(random.randrange(1, 4))]
    return "|".join(alternatives)


def pattern():
    return {"String": random.choice(WORDS)} if random.random() < 0.3 else {"Regex": expression()}


def bert():
    return {"type": "BertNormalizer", "clean_text": flip(), "handle_chinese_chars": flip(),
            "strip_accents": random.choice([None, True, False]), "lowercase": flip()}


def sequence(member, make, depth):
    return {"type": "Sequence", member: [make(depth + 1) for _ in range(random.randrange(0, 4))]}


def normalizer(depth=0):
    if depth < 3 and random.random() < (0.5 if depth == 0 else 0.15):
        return sequence("normalizers", normalizer, depth)
    return random.choice([
        *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")),
        {"type": "Strip", "strip_left": flip(), "strip_right": flip()},
        {"type": "Prepend", "prepend": random.choice(WORDS)},
        {"type": "Replace", "pattern": pattern(), "content": random.choice(WORDS)},
        {"type": "Replace", "pattern": pattern(), "content": random.choice(WORDS)}, bert(), bert()])


def metaspace():
    return {"type": "Metaspace", "replacement": random.choice("\u2581\u2581_ax\u00e9"),
            "prepend_scheme": random.choice(["always", "first", "never"]), "split": flip()}


def byte_level():
    return {"type": "ByteLevel", "add_prefix_space": flip(), "trim_offsets": flip(), "use_regex": flip()}


def pre_tokenizer(depth=0):
    if depth < 3 and random.random() < (0.5 if depth == 0 else 0.15):
        return sequence("pretokenizers", pre_tokenizer, depth)
    return random.choice([
        *({"type": name} for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")),
        {"type": "CharDelimiterSplit", "delimiter": random.choice(" ae\u2581\u00e9\n")},
        {"type": "Digits", "individual_digits": flip()}, {"type": "FixedLength", "length": random.randrange(1, 9)},
        {"type": "Punctuation", "behavior": random.choice(BEHAVIORS)}, metaspace(), metaspace(), byte_level(), byte_level(),
        *({"type": "Split", "pattern": pattern(), "behavior": random.choice(BEHAVIORS), "invert": flip()} for _ in range(3))])


def template(texts):
    pieces = [{"Sequence": {"id": name, "type_id": random.randrange(3)}} for name in texts]
    for _ in range(random.randrange(4)):
        special = {"SpecialToken": {"id": random.choice(SPECIALS[1:3] + ["two"]), "type_id": random.randrange(3)}}
        pieces.insert(random.randrange(len(pieces) + 1), special)
    return pieces


def post_processor(depth=0):
    kind = random.randrange(6 if depth == 0 else 4)
    if kind == 0:
        return byte_level()
    if kind == 1:
        return {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
    if kind == 2:
        return {"type": "RobertaProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1], "trim_offsets": flip(),
                "add_prefix_space": flip()}
    if kind == 3:
        specials = {name: {"id": name, "ids": [i], "tokens": [name]} for i, name in enumerate(SPECIALS)}
        specials["two"] = {"id": "two", "ids": [1, 2], "tokens": ["[CLS]", "[SEP]"]}
        return {"type": "TemplateProcessing", "single": template("A"), "pair": template(random.choice(["AB", "AB", "AB", "BA"])),
                "special_tokens": specials}
    if kind == 4:
        return {"type": "Sequence", "processors": [byte_level()] * flip() + [post_processor(1)]}
    return None


def decoder(depth=0):
    if depth < 2 and random.random() < 0.4:
        return sequence("decoders", decoder, depth)
    return random.choice([
        {"type": "WordPiece", "prefix": random.choice(["##", "", "\u2581", "a"]), "cleanup": flip()}, byte_level(),
        {"type": "ByteFallback"}, {"type": "BPEDecoder", "suffix": random.choice(["</w>", "", "e", "ee"])}, {"type": "Fuse"},
        metaspace(), {"type": "CTC", "pad_token": random.choice(["[PAD]", "a", ""]),
                      "word_delimiter_token": random.choice(["|", "e", ""]), "cleanup": flip()},
        {"type": "Strip", "content": random.choice(" ae\u2581\u00e9"), "start": random.randrange(3), "stop": random.randrange(3)},
        {"type": "Replace", "pattern": pattern(), "content": random.choice(WORDS)}])


def truncation():
    length = random.choice([0, 1, 2, 3, 5, 8, 12, 20, 64])
    return {"direction": random.choice(["Left", "Right"]), "max_length": length,
            "strategy": random.choice(["LongestFirst", "LongestFirst", "OnlyFirst", "OnlySecond"]),
            "stride": random.choice([0, 0, 1, 2, 5])}


def padding():
    return {"strategy": random.choice(["BatchLongest", {"Fixed": random.randrange(40)}]), "direction": random.choice(["Left", "Right"]),
            "pad_to_multiple_of": random.choice([None, None, 1, 4, 7]), "pad_id": random.randrange(9), "pad_type_id": random.randrange(3),
            "pad_token": random.choice(["[PAD]", "", "x"])}


def added_tokens(lines):
    contents = [random.choice(WORDS + kinds_of_texts.PIECES) for _ in range(random.randrange(6))]
    contents += [random.choice(random.choice(lines).split() or ["x"])[:random.randrange(1, 9)] for _ in range(random.randrange(4))]
    contents += [" lead", "trail ", "\u00c4rger", "[MASK]x", "FOO", "foo bar", "fo"][:random.randrange(8)]
    return [{"content": content, "single_word": flip(), "lstrip": flip(), "rstrip": flip(), "normalized": flip(),
             "special": flip()} for content in dict.fromkeys(contents) if content]


def trainer(model, size):
    common = {"vocab_size": size, "special_tokens": SPECIALS, "show_progress": False}
    if model["type"] == "BPE":
        around = {key: model[key] for key in ("continuing_subword_prefix", "end_of_word_suffix") if model[key] is not None}
        more = {"initial_alphabet": [chr(c) for c in range(33, 127)]} if flip() else {"limit_alphabet": random.choice([20, 60, 200])}
        common["special_tokens"] = SPECIALS + ([f"<0x{byte:02X}>" for byte in range(256)] if model["byte_fallback"] and flip() else [])
        return trainers.BpeTrainer(**common, **more, **around, **random.choice([{}, {}, {"max_token_length": 4}]))
    if model["type"] == "Unigram":
        return trainers.UnigramTrainer(**common, unk_token="[UNK]", max_piece_length=random.choice([16, 4]))
    if model["type"] == "WordPiece":
        return trainers.WordPieceTrainer(**common, continuing_subword_prefix=model["continuing_subword_prefix"])
    return trainers.WordLevelTrainer(**common)


def model():
    kind = random.choice(["BPE", "BPE", "Unigram", "Unigram", "WordPiece", "WordPiece", "WordLevel"])
    if kind == "BPE":
        return {"type": kind, "dropout": random.choice([None, 0.0]), "unk_token": random.choice([None, "[UNK]"]),
                "continuing_subword_prefix": random.choice([None, None, "##", "\u2581"]),
                "end_of_word_suffix": random.choice([None, None, "</w>", "\u00e9"]), "fuse_unk": flip(), "byte_fallback": flip(),
                "ignore_merges": flip(), "vocab": {}, "merges": []}
    if kind == "Unigram":
        return {"type": kind, "unk_id": 0, "vocab": [["[UNK]", 0.0]], "byte_fallback": flip()}
    if kind == "WordPiece":
        return {"type": kind, "unk_token": "[UNK]", "continuing_subword_prefix": random.choice(["##", "", "\u2581", "a"]),
                "max_input_chars_per_word": random.choice([100, 100, 3, 0, 9]), "vocab": {}}
    return {"type": kind, "vocab": {}, "unk_token": "[UNK]"}


def spoil(trained):
    """Changes a trained model as files that were edited are: tokens that are gone, other scores, holes between ids."""
    own = trained["model"]
    what = random.randrange(5)
    if what == 0 and own["type"] == "Unigram":
        own["vocab"] = own["vocab"][:5] + [[token, random.choice([score, -1.0, -20.0, 0.0])] for token, score in own["vocab"][5:]]
        own["unk_id"] = random.choice([0, 0, None, len(own["vocab"]) - 1])
        own["vocab"] += [[f"<0x{byte:02X}>", -20.0] for byte in range(256)] * flip()
    elif what == 1 and own["type"] in ("WordPiece", "WordLevel"):
        shift = random.choice([1, 7, 1000])
        own["vocab"] = {token: i if i < 5 else i * shift for token, i in own["vocab"].items() if i < 5 or random.random() < 0.8}
    elif what == 2 and own["type"] == "BPE":
        own["merges"] = [merge for merge in own["merges"] if random.random() < 0.9]
    return trained


def with_parts(parts, lines, size):
    """The tokenizer.json of the parts, or None where the package does not take them."""
    blank = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], **parts, "post_processor": None}
    whole = Tokenizer.from_str(json.dumps(blank))
    whole.train_from_iterator(lines, trainer(parts["model"], size))
    config = spoil(json.loads(whole.to_str()))
    kept = {key: value for key, value in parts["model"].items() if key not in ("vocab", "merges", "unk_id")}
    config["model"].update(kept)
    config["post_processor"] = parts["post_processor"]
    return config


def make(seed, lines):
    """The text of a random tokenizer.json; None where the package refuses the parts."""
    random.seed(seed)
    parts = {"normalizer": random.choice([None, normalizer()]), "pre_tokenizer": random.choice([None, *[pre_tokenizer()] * 4]),
             "model": model(), "post_processor": post_processor(), "decoder": random.choice([None, decoder(), decoder(), decoder()])}
    if random.random() < 0.1:
        parts["normalizer"], parts["pre_tokenizer"] = bert(), {"type": "BertPreTokenizer"}
    if random.random() < 0.1:
        parts["normalizer"], parts["pre_tokenizer"] = None, byte_level()
    try:
        config = with_parts(parts, random.sample(lines, min(len(lines), 300)), random.choice([60, 300, 1200]))
    except BaseException as error:
        return f"{type(error).__name__}: {error}", parts
    first = max([token["id"] for token in config["added_tokens"]] + [4]) + 1
    used = len(config["model"]["vocab"])
    known = {token["content"] for token in config["added_tokens"]}
    normal = Tokenizer.from_str(json.dumps(config)).normalizer
    for token in added_tokens(lines):
        # Among tokens with equal forms one is found that a hash table chooses.
        form = normal.normalize_str(token["content"]) if normal and token["normalized"] else token["content"]
        if form and form not in known and token["content"] not in known:
            known |= {form, token["content"]}
            config["added_tokens"].append({"id": max(used, first), **token})
            used = max(used, first) + 1
    config["truncation"] = truncation() if random.random() < 0.3 else None
    config["padding"] = padding() if random.random() < 0.2 else None
    return json.dumps(config), None
