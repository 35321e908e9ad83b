#!/usr/bin/env python3
"""Writes data/configured.json: what `transformers` makes of tokenizer.json by the files beside it.

    python3 -m venv V && V/bin/pip install transformers==5.23.0
    V/bin/python tests/text/make_configured_golden.py

Each case has the folder's files, in base64, and texts with their ids, types and offsets, as in older_files.json; and the
arrays of a padded call by their names, and the texts without special tokens.
"""
import base64
import json
import pathlib
import tempfile

import transformers

TEXTS = ["the fox caf\u00e9", "The  fox <mask> [MASK] x", "[NEW]fox [new] none <image> fox[CLS]", "<s> the</s> <pad> x [E]", ""]
PAIRS = [("the fox", "none"), ("fox [NEW]", "the")]
PADDED = ["the", "the fox none"]


def added(vocabulary, tokens, **flags):
    fields = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return [{"id": vocabulary.index(token), "content": token, **fields, **flags} for token in tokens]


def with_parts(model, specials, vocabulary, **parts):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added(vocabulary, specials),
            "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model, **parts}


def word_piece(**parts):
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = specials + "the The fox ca ##fe caf\u00e9 none a ##x x".split()
    return with_parts({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                       "max_input_chars_per_word": 100, "vocab": {token: i for i, token in enumerate(vocabulary)}},
                      specials, vocabulary, **{
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                       "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True}, **parts})


def byte_level(specials, prefix, post_processor):
    vocabulary = specials + list("abcdefghijklmnopqrstuvwxyzTC,.;?\u0120[]<>") + ["\u0120t", "he", "\u0120the"]
    level = {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": "",
             "fuse_unk": False, "byte_fallback": False, "vocab": {token: i for i, token in enumerate(vocabulary)},
             "merges": ["\u0120 t", "h e", "\u0120t he"]}
    return with_parts(model, specials, vocabulary, pre_tokenizer=level, decoder=level, post_processor=post_processor)


def unigram(specials, unknown, normalizer, **parts):
    vocabulary = specials + list("\u2581thefoxcanmsk<>[]CLSENWT") + ["\u2581the", "\u2581fox", "\u00e9"]
    space = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    sequence = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, space]}
    scores = [[token, 0.0 if i < len(specials) else -float(len(vocabulary) - i) / 8] for i, token in enumerate(vocabulary)]
    return with_parts({"type": "Unigram", "unk_id": unknown, "vocab": scores, "byte_fallback": False}, specials, vocabulary,
                      **{"normalizer": normalizer, "pre_tokenizer": sequence, "decoder": space, **parts})


LETTERS = sorted(set("".join(TEXTS + [text for pair in PAIRS for text in pair])) - set(" \u00e9"))


def spaced(specials, **parts):
    """Pairs of characters, spaces among them, with bytes for what is unknown: Llama's and Gemma's."""
    vocabulary = specials + ["<0xC3>", "<0xA9>", "\u2581"] + LETTERS + ["\u2581t", "he", "\u2581the", "fo", "fox"]
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": True, "byte_fallback": True, "vocab": {token: i for i, token in enumerate(vocabulary)},
             "merges": ["\u2581 t", "h e", "\u2581t he", "f o", "fo x"]}
    return with_parts(model, specials, vocabulary, **parts)


def beginning(token, number):
    begin = [{"SpecialToken": {"id": token, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    return {"type": "TemplateProcessing", "single": begin,
            "pair": begin + [{"SpecialToken": {"id": token, "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {token: {"id": token, "ids": [number], "tokens": [token]}}}


def clip():
    specials = ["<|startoftext|>", "<|endoftext|>"]
    letters = [letter for letter in LETTERS if not letter.isupper()] + ["\u00c3", "\u00a9"]
    vocabulary = specials + letters + [letter + "</w>" for letter in letters] + ["th", "the</w>"]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "dropout": None, "unk_token": "<|endoftext|>", "continuing_subword_prefix": "",
             "end_of_word_suffix": "</w>", "fuse_unk": False, "byte_fallback": False,
             "vocab": {token: i for i, token in enumerate(vocabulary)}, "merges": ["t h", "th e</w>"]}
    return with_parts(model, specials, vocabulary, normalizer={"type": "Lowercase"}, pre_tokenizer=level, decoder=level,
                      post_processor={"type": "RobertaProcessing", "sep": ["<|endoftext|>", 1], "cls": ["<|startoftext|>", 0],
                                      "trim_offsets": False, "add_prefix_space": False})


def cleaning(lower):
    return {"type": "Sequence", "normalizers": [{"type": "Replace", "pattern": {"String": "``"}, "content": "\""},
                                                {"type": "Replace", "pattern": {"String": "''"}, "content": "\""},
                                                {"type": "NFKD"}, {"type": "StripAccents"}] +
            [{"type": "Lowercase"}] * lower}


def decoder(**flags):
    return {"content": "[NEW]", "lstrip": False, "rstrip": False, "single_word": False, "normalized": True, "special": False,
            **flags}


WORDS = with_parts({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "the": 1, "fox": 2, "none": 3, "<pad>": 4}}, [], [],
                   pre_tokenizer={"type": "Whitespace"})
ROBERTA = byte_level(["<s>", "<pad>", "</s>", "<unk>", "<mask>"], True,
                     {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": False,
                      "add_prefix_space": True})
GPT2 = byte_level(["<|endoftext|>"], False, {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False})
ALBERT = unigram(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], 1, cleaning(True))
XLM_ROBERTA = unigram(["<s>", "<pad>", "</s>", "<unk>", "<mask>"], 3, None)
XLNET = unigram(["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"], 0, cleaning(False))
MPNET = word_piece()
DEBERTA = unigram(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"], 3, cleaning(True))
TO_SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
FROM_BYTES = [{"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
# As a conversion wrote it: the space in front is the normalizer's, and comes after special tokens, too.
LLAMA = spaced(["<unk>", "<s>", "</s>"], post_processor=beginning("<s>", 1),
               normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"}, TO_SPACES]},
               decoder={"type": "Sequence", "decoders": FROM_BYTES + [{"type": "Strip", "content": " ", "start": 1, "stop": 0}]})
GEMMA = spaced(["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"], post_processor=beginning("<bos>", 2), normalizer=TO_SPACES,
               decoder={"type": "Sequence", "decoders": FROM_BYTES})
LLAMA_CLASS = {"tokenizer_class": "LlamaTokenizer", "pad_token": "</s>"}
BACKEND = {"tokenizer_class": "PreTrainedTokenizerFast"}
# (tokenizer.json, config.json, the other files)
CASES = [
    (WORDS, {}, {"tokenizer_config.json": BACKEND}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "none", "pad_token_type_id": 3,
                                           "model_input_names": ["token_type_ids", "input_ids"]}}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "[NEW]", "bos_token": "<s>"}}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "<pad>", "extra_special_tokens": ["[NEW]", "<image>"]}}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "<pad>", "image_token": "<image>",
                                           "extra_special_tokens": {"new_token": "[NEW]"}}}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "<pad>", "additional_special_tokens": ["[NEW]"]}}),
    (WORDS, {}, {"tokenizer_config.json": BACKEND, "special_tokens_map.json": {"pad_token": "<pad>",
                                                                               "additional_special_tokens": ["[NEW]"]}}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "<pad>", "extra_special_tokens": ["<image>"]},
                 "special_tokens_map.json": {"extra_special_tokens": ["[NEW]"]}}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "<pad>", "added_tokens_decoder": {"9": decoder()}}}),
    (WORDS, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "[NEW]", "added_tokens_decoder": {"5": decoder(lstrip=True)}}}),
    ({**WORDS, "padding": {"strategy": "BatchLongest", "direction": "Left", "pad_to_multiple_of": None, "pad_id": 3,
                           "pad_type_id": 2, "pad_token": "none"}}, {}, {"tokenizer_config.json": BACKEND}),
    (word_piece(), {"model_type": "bert"}, {}),
    (word_piece(), {"model_type": "bert"}, {"tokenizer_config.json": {"cls_token": "none", "mask_token": "[NEW]"}}),
    (word_piece(post_processor=None), {"model_type": "electra"}, {"tokenizer_config.json": {"sep_token": "[E]"}}),
    (word_piece(), {"model_type": "bert"}, {"tokenizer_config.json": {"model_input_names": ["input_ids", "attention_mask"]}}),
    (word_piece(), {"model_type": "distilbert"}, {"tokenizer_config.json": {"tokenizer_class": "DistilBertTokenizerFast"}}),
    (word_piece(), {"model_type": "distilbert"}, {}),
    (word_piece(), {"model_type": "bert"}, {"tokenizer_config.json": {**BACKEND, "mask_token": "[MASK]"}}),
    (ROBERTA, {"model_type": "roberta"}, {}),
    (ROBERTA, {"model_type": "roberta"}, {"tokenizer_config.json": {"add_prefix_space": True, "cls_token": "[CLS]",
                                                                    "trim_offsets": False}}),
    (GPT2, {"model_type": "gpt2"}, {}),
    (GPT2, {"model_type": "gpt2"}, {"tokenizer_config.json": {"pad_token": "<pad>", "add_prefix_space": True}}),
    (ALBERT, {"model_type": "albert"}, {"tokenizer_config.json": {"extra_special_tokens": ["[NEW]"]}}),
    (XLM_ROBERTA, {"model_type": "xlm-roberta"}, {"tokenizer_config.json": {"mask_token": "[MASK]"}}),
    (XLNET, {"model_type": "xlnet"}, {"tokenizer_config.json": {"pad_token_type_id": 3}}),
    (MPNET, {"model_type": "mpnet"}, {}),
    (MPNET, {}, {"tokenizer_config.json": {"tokenizer_class": "MPNetTokenizer", "do_lower_case": False, "mask_token": "[MASK]"}}),
    (DEBERTA, {"model_type": "deberta-v2"}, {}),
    (DEBERTA, {}, {"tokenizer_config.json": {"tokenizer_class": "DebertaV2TokenizerFast", "do_lower_case": True,
                                             "split_by_punct": True, "add_prefix_space": False}}),
    (LLAMA, {}, {"tokenizer_config.json": {**LLAMA_CLASS, "legacy": False}}),
    (LLAMA, {}, {"tokenizer_config.json": {**LLAMA_CLASS, "legacy": True, "add_bos_token": True, "add_eos_token": True}}),
    (LLAMA, {}, {"tokenizer_config.json": {**LLAMA_CLASS, "add_prefix_space": False, "padding_side": "right"}}),
    (LLAMA, {}, {"tokenizer_config.json": {**BACKEND, "pad_token": "</s>"}}),
    (GPT2, {}, {"tokenizer_config.json": {"tokenizer_class": "LlamaTokenizerFast", "pad_token": "<|endoftext|>"}}),
    (GEMMA, {"model_type": "gemma2"}, {}),
    (GEMMA, {"model_type": "gemma"}, {"tokenizer_config.json": {"tokenizer_class": "GemmaTokenizer", "add_eos_token": True}}),
    (clip(), {"model_type": "clip"}, {"tokenizer_config.json": {"tokenizer_class": "CLIPTokenizer"}}),
]


def encoded(tokenizer, *text):
    made = tokenizer(*text, return_offsets_mapping=True, return_token_type_ids=True)
    return [*text], made["input_ids"], made["token_type_ids"], [place for pair in made["offset_mapping"] for place in pair]


def main():
    cases = []
    for tokenizer_json, config, others in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, content in {"tokenizer.json": tokenizer_json, "config.json": config, **others}.items():
                (folder / file).write_text(json.dumps(content))
            files = {path.name: base64.b64encode(path.read_bytes()).decode() for path in sorted(folder.iterdir())}
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        texts = [encoded(tokenizer, text) for text in TEXTS] + [encoded(tokenizer, *pair) for pair in PAIRS]
        cases.append({"name": f"{tokenizer_json['model']['type']} {json.dumps(config)} {json.dumps(others)}", "files": files,
                      "padding": [tokenizer.padding_side, tokenizer.pad_token, tokenizer.pad_token_id],
                      "roles": {role: str(token) for role, token in tokenizer.special_tokens_map.items()
                                if role in transformers.PreTrainedTokenizerBase.SPECIAL_TOKENS_ATTRIBUTES},
                      "batch": dict(tokenizer(PADDED, padding=tokenizer.pad_token is not None)),
                      "size": len(tokenizer),
                      "plain": [tokenizer.decode(ids, skip_special_tokens=True) for _, ids, _, _ in texts],
                      "texts": texts})
    folder = pathlib.Path(__file__).resolve().parent / "data"
    (folder / "configured.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


main()
