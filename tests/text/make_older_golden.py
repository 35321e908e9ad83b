#!/usr/bin/env python3
"""Writes data/older_files.json: what `transformers` makes of folders without a tokenizer.json.

    python3 -m venv V && V/bin/pip install transformers==5.23.0 sentencepiece protobuf
    V/bin/python tests/text/make_older_golden.py

Each case has the folder's files, in base64, and texts with their ids, types and offsets.
"""
import base64
import json
import pathlib
import tempfile

import sentencepiece
import transformers

LINES = """The quick brown fox jumps over the lazy dog, and nobody minds.
Training runs on eight cores; what does a core cost?
A tokenizer cuts texts into pieces and numbers them.
Caf\u00e9 na\u00efve co\u00f6perate \u00fcber stra\u00dfe 1234, 12, 5678.""".splitlines()
TEXTS = [*LINES, "", " ", "Hello  ``world''  <mask> [MASK] x", "12, <s> </s> <pad> [CLS] [SEP] a  b", "\u00c9cole \ufb01ne [B] [E] [NEW]z",
         "one <|endoftext|> two\n three", "(brown) - fox\t."]
PAIRS = [("The fox", "jumps  over"), ("", "dog")]  # an empty second text is none to transformers


def sentence_piece(folder, name, lines, options, **usual):
    corpus = folder / "corpus"
    corpus.write_text("\n".join(lines) + "\n")
    usual = {"model_prefix": str(folder / "model"), "minloglevel": 2, "character_coverage": 1.0,
             "normalization_rule_name": "identity", **usual}
    sentencepiece.SentencePieceTrainer.train(input=str(corpus), **{**usual, **options})
    (folder / "model.model").rename(folder / name)
    corpus.unlink()
    (folder / "model.vocab").unlink()


def xlm_roberta(folder, lines=LINES * 3, **options):
    sentence_piece(folder, "sentencepiece.bpe.model", lines, options, vocab_size=70)


def albert(folder, lines=LINES * 3, **options):
    sentence_piece(folder, "spiece.model", lines, options, vocab_size=70, pad_id=0, unk_id=1, bos_id=-1, eos_id=-1,
                   control_symbols=["[CLS]", "[SEP]"], user_defined_symbols=["[MASK]", "(", ")"])


def xlnet(folder, lines=LINES * 3, **options):
    sentence_piece(folder, "spiece.model", lines, options, vocab_size=70, user_defined_symbols=["<eop>", "."],
                   control_symbols=["<cls>", "<sep>", "<pad>", "<mask>", "<eod>"])


def big_bird(folder, lines=LINES * 3, **options):
    fill = [f"[X{i}]" for i in range(100)]
    sentence_piece(folder, "spiece.model", lines, options, vocab_size=170, pad_id=0, eos_id=1, bos_id=2, unk_id=100,
                   user_defined_symbols=fill[3:65] + ["[CLS]", "[SEP]", "[MASK]"] + fill[68:])


def small_big_bird(folder, lines=LINES * 3, **options):
    sentence_piece(folder, "spiece.model", lines, options, vocab_size=70, pad_id=0, eos_id=1, bos_id=2, unk_id=3)


def deberta(folder, lines=LINES * 3, **options):
    sentence_piece(folder, "spm.model", lines, options, vocab_size=70, pad_id=0, unk_id=3, bos_id=1, eos_id=2, pad_piece="[PAD]",
                   unk_piece="[UNK]", bos_piece="[CLS]", eos_piece="[SEP]")


def with_rules(write):
    """The same with some rules of normalization of its own: those that real models have take 300 KB."""
    def written(folder):
        rules = folder / "rules"
        rules.write_text("9\t20\nA\t20\nE9\t65\nC9\t65\nFB01\t66 69\n63 61\t6B\n")
        write(folder, normalization_rule_tsv=str(rules))
        rules.unlink()
    written.__name__ = write.__name__
    return written


def byte_level(specials):
    def write(folder):
        letters = "abcdefghijklmnopqrstuvwxyzTC,.;?\u0120"
        tokens = specials + list(letters) + ["\u0120t", "he", "\u0120the", "re"]
        (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
        (folder / "merges.txt").write_text("#version: 0.2\n\u0120 t\nh e\n\u0120t he\nr e\n")
    return write


def bert(folder):
    words = "the quick brown fox jumps over lazy dog and a caf\u00e9 cafe Training runs on core ##s ##d , . ; ? ecole".split()
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]) + "\n")


def mpnet(folder):
    bert(folder)
    words = (folder / "vocab.txt").read_text()
    for of_bert, own in (("[PAD]", "<pad>"), ("[CLS]", "<s>"), ("[SEP]", "</s>"), ("[MASK]", "<mask>")):
        words = words.replace(of_bert, own)
    (folder / "vocab.txt").write_text(words)


ROBERTA = byte_level(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
LEFT_MASK = {"content": "<mask>", "lstrip": True, "rstrip": False, "single_word": False, "normalized": False,
             "__type": "AddedToken"}
# What is asked for by its name where there is nothing beside the vocabulary.
CLASSES = {"xlm_roberta": transformers.XLMRobertaTokenizer, "albert": transformers.AlbertTokenizer,
           "xlnet": transformers.XLNetTokenizer, "big_bird": transformers.BigBirdTokenizer,
           "deberta": transformers.DebertaV2Tokenizer}
# (what writes the vocabulary, config.json, the other files)
CASES = [
    (xlm_roberta, {"model_type": "xlm-roberta"}, {}),
    (xlm_roberta, {"model_type": "bert"}, {"tokenizer_config.json": {"tokenizer_class": "XLMRobertaTokenizer",
                                                                     "mask_token": LEFT_MASK, "bos_token": "[B]",
                                                                     "eos_token": "[E]", "cls_token": "[B]",
                                                                     "sep_token": "[E]"}}),
    (albert, {"model_type": "albert"}, {}),
    (albert, {"model_type": "albert"}, {"tokenizer_config.json": {"do_lower_case": False, "keep_accents": True}}),
    (albert, {"model_type": "albert"}, {"special_tokens_map.json": {"mask_token": "[NEW]"}}),
    (xlnet, {"model_type": "xlnet"}, {}),
    (xlnet, {"model_type": "xlnet"}, {"tokenizer_config.json": {"tokenizer_class": "XLNetTokenizerFast",
                                                                "do_lower_case": True}}),
    (big_bird, {"model_type": "big_bird"}, {}),
    (with_rules(xlm_roberta), None, {}),
    (with_rules(albert), None, {}),
    (with_rules(xlnet), None, {}),
    (big_bird, None, {}),
    (small_big_bird, {"model_type": "big_bird"}, {}),
    (deberta, {"model_type": "deberta-v2"}, {}),
    (deberta, {"model_type": "deberta-v2"}, {"tokenizer_config.json": {"do_lower_case": True, "split_by_punct": True}}),
    (deberta, None, {}),
    (ROBERTA, {"model_type": "roberta"}, {}),
    (ROBERTA, {"model_type": "roberta"}, {"tokenizer_config.json": {"add_prefix_space": True, "trim_offsets": False}}),
    (ROBERTA, {"model_type": "roberta"}, {"special_tokens_map.json": {"mask_token": LEFT_MASK}}),
    (byte_level(["<|endoftext|>"]), {"model_type": "gpt2"}, {}),
    (byte_level([]), {"model_type": "gpt2"}, {"tokenizer_config.json": {"add_bos_token": True}}),
    (mpnet, {"model_type": "mpnet"}, {}),
    (bert, {"model_type": "electra"}, {}),
    (bert, {"model_type": "distilbert"}, {"tokenizer_config.json": {"do_lower_case": False}}),
    (bert, {"model_type": "bert"}, {"tokenizer_config.json": {"strip_accents": False,
                                                              "extra_special_tokens": ["[NEW]"]}}),
    (bert, {"model_type": "bert"}, {"added_tokens.json": {"[NEW]": 27, "lazy dog": 28}}),
]


def encoded(tokenizer, *text):
    made = tokenizer(*text, return_offsets_mapping=True, return_token_type_ids=True)
    return [*text], made["input_ids"], made["token_type_ids"], [place for pair in made["offset_mapping"] for place in pair]


def main():
    cases = []
    for write, config, others in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write(folder)
            for file, content in ({} if config is None else {"config.json": config, **others}).items():
                (folder / file).write_text(json.dumps(content))
            files = {path.name: base64.b64encode(path.read_bytes()).decode() for path in sorted(folder.iterdir())}
            made = CLASSES[write.__name__] if config is None else transformers.AutoTokenizer
            tokenizer = made.from_pretrained(folder)
        name = f"{write.__name__} alone" if config is None else f"{config['model_type']} {json.dumps(others)}"
        cases.append({"name": name, "files": files,
                      "padding": [tokenizer.padding_side, tokenizer.pad_token, tokenizer.pad_token_id],
                      "roles": {role: str(token) for role, token in tokenizer.special_tokens_map.items()
                                if role in tokenizer.SPECIAL_TOKENS_ATTRIBUTES},
                      "texts": [encoded(tokenizer, text) for text in TEXTS] +
                               [encoded(tokenizer, *pair) for pair in PAIRS]})
    folder = pathlib.Path(__file__).resolve().parent / "data"
    (folder / "older_files.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
