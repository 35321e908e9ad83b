"""Tokenizers of each kind, with vocabularies that the `tokenizers` package trains on some lines."""
import json

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def word_piece(lines, size, normalizer, pre_tokenizer, processor):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=size, special_tokens=SPECIALS,
                                                                    show_progress=False))
    tokenizer.post_processor = processor
    return tokenizer


def bpe(lines, size, normalizer, pre_tokenizer, decoder, processor=None, alphabet=(), model=None, more=(), **options):
    tokenizer = Tokenizer(models.BPE(**(model or {})))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=SPECIALS + list(more), initial_alphabet=list(alphabet), show_progress=False, **options))
    if processor:
        tokenizer.post_processor = processor
    return tokenizer


def byte_pairs(lines, size):
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    roberta = processors.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2))
    cl100k = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
              r"|\s+(?!\S)|\s+")
    gpt4 = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(cl100k), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    qwen = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(cl100k.replace("{1,3}", "")), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    level = decoders.ByteLevel()
    return {
        "bpe gpt2": bpe(lines, size, None, pre_tokenizers.ByteLevel(add_prefix_space=False), level,
                        processors.ByteLevel(trim_offsets=False), alphabet),
        "bpe roberta": bpe(lines, size, None, pre_tokenizers.ByteLevel(), level, roberta, alphabet),
        "bpe gpt4": bpe(lines, size, None, gpt4, level, processors.ByteLevel(trim_offsets=True), alphabet,
                        model={"ignore_merges": True}),
        "bpe qwen": bpe(lines, size, normalizers.NFC(), qwen, level, processors.ByteLevel(), alphabet),
        "bpe without alphabet": bpe(lines, size, None, pre_tokenizers.ByteLevel(), level, None,
                                    model={"unk_token": "[UNK]"}),
        "bpe suffixes": bpe(lines, size, normalizers.Lowercase(), pre_tokenizers.Whitespace(), decoders.BPEDecoder(),
                            None, model={"unk_token": "[UNK]", "fuse_unk": True}, end_of_word_suffix="</w>"),
        "bpe prefixes": bpe(lines, size, normalizers.NFKC(), pre_tokenizers.Whitespace(), decoders.WordPiece(),
                            None, model={"unk_token": "[UNK]"}, continuing_subword_prefix="##"),
        "bpe metaspace": bpe(lines, size, None, pre_tokenizers.Metaspace(), decoders.Metaspace(), None,
                             more=[f"<0x{byte:02X}>" for byte in range(256)], model={"byte_fallback": True}),
    }


def trained(lines, size=3000):
    """(name, text of tokenizer.json) of each."""
    bert = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    template = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                             special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    cases = {
        "wordpiece uncased": word_piece(lines, size, normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer(), bert),
        "wordpiece cased": word_piece(lines, size, normalizers.BertNormalizer(lowercase=False),
                                      pre_tokenizers.BertPreTokenizer(), template),
        "wordpiece unclean": word_piece(
            lines, size, normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True),
            pre_tokenizers.Whitespace(), template),
        "wordpiece nfkc": word_piece(
            lines, size, normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.StripAccents()]),
            pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous"),
                                     pre_tokenizers.Digits(True)]), template),
        "wordpiece nfd": word_piece(
            lines, size, normalizers.Sequence([normalizers.NFD(), normalizers.Strip(), normalizers.Nmt()]),
            pre_tokenizers.Sequence([pre_tokenizers.Digits(False), pre_tokenizers.Punctuation("merged_with_next"),
                                     pre_tokenizers.CharDelimiterSplit(" ")]), bert),
        "wordpiece nfkd": word_piece(
            lines, size, normalizers.Sequence([normalizers.NFKD(), normalizers.NFC(), normalizers.Prepend("x"),
                                         normalizers.Replace("e", "ee"), normalizers.Replace(Regex("[aeiou]+"), "u")]),
            pre_tokenizers.Sequence([pre_tokenizers.Split(Regex("[ .,]+"), "merged_with_previous"),
                                     pre_tokenizers.FixedLength(7)]), template),
    }
    added = word_piece(lines, size, normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer(), template)
    added.add_tokens([AddedToken("foo", single_word=True), AddedToken("B\u00e4r", normalized=True),
                      AddedToken("<x>", lstrip=True, rstrip=True, normalized=False), "\u00e9"])
    cases["wordpiece added tokens"] = added
    cases.update(byte_pairs(lines, size))
    return [(name, tokenizer.to_str()) for name, tokenizer in cases.items()]
