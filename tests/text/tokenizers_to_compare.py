"""Tokenizers of each kind, with vocabularies that the `tokenizers` package trains on some lines."""
import io
import json
import sys

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


def unigram(lines, size, normalizer, pre_tokenizer, decoder, **options):
    tokenizer = Tokenizer(models.Unigram())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    tokenizer.train_from_iterator(lines, trainers.UnigramTrainer(
        vocab_size=size, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False, **options))
    return tokenizer


def with_bytes(tokenizer):
    """The tokenizer with a token for each byte, which stands in for characters that it lacks."""
    config = json.loads(tokenizer.to_str())
    config["model"]["vocab"] += [[f"<0x{byte:02X}>", -20.0] for byte in range(256)]
    config["model"]["byte_fallback"] = True
    return Tokenizer.from_str(json.dumps(config))


def character_map():
    """SentencePiece's nmt_nfkc rules as it compiles them, or None without the sentencepiece package."""
    try:
        import sentencepiece
    except ImportError:
        print("SKIPPED: Precompiled, which needs the sentencepiece package", file=sys.stderr)
        return None
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(["a b c d"] * 10), model_writer=model, vocab_size=8,
                                             minloglevel=2)
    spec = fields(model.getvalue())[3][-1]
    return fields(spec)[2][-1]


def fields(message):
    """The length-delimited fields of a protobuf message by number."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 2:
            size = varint()
            found.setdefault(tag >> 3, []).append(message[at:at + size])
            at += size
        elif tag & 7 == 0:
            varint()
        else:
            at += {1: 8, 5: 4}[tag & 7]
    return found


def unigrams(lines, size):
    decoder = decoders.Metaspace()
    cases = {
        "unigram metaspace": unigram(lines, size, None, pre_tokenizers.Metaspace(), decoder),
        "unigram first": unigram(lines, size, normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()]),
                                 pre_tokenizers.Metaspace(prepend_scheme="first", split=False), decoder),
        "unigram bytes": with_bytes(unigram(
            lines, size, normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]),
            pre_tokenizers.Metaspace(prepend_scheme="never"),
            decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
                               decoders.Strip(" ", 1, 0)]))),
        "unigram scripts": unigram(lines, size, None, pre_tokenizers.Sequence([
            pre_tokenizers.UnicodeScripts(), pre_tokenizers.WhitespaceSplit()]), decoders.CTC()),
    }
    rules = character_map()
    if rules and size > 1000:
        cases["unigram precompiled"] = unigram(
            lines, size, normalizers.Sequence([normalizers.Precompiled(rules), normalizers.Strip(left=False),
                                               normalizers.Replace(Regex(" {2,}"), "\u2581")]),
            pre_tokenizers.Metaspace(), decoder)
    return cases


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
    cases.update(unigrams(lines, size))
    return [(name, tokenizer.to_str()) for name, tokenizer in cases.items()]
