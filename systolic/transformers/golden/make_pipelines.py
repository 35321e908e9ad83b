#!/usr/bin/env python3
"""What `transformers`' pipelines answer with models of make_models.py and tokenizers of as many tokens.

    python systolic/transformers/golden/make_pipelines.py      # transformers 5.23, torch 2.15

pipelines.json: for BERT (WordPiece) and RoBERTa (BPE of bytes) the tokenizer, and for each task a list of {"text", "answer"} with
the settings that were given; what GPT-2 writes has RoBERTa's tokenizer. ViT sees a picture of which each number follows from its place.
"""
import json

import numpy
import PIL.Image
import tokenizers
import torch
import transformers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

import make_models

LABELS = ["O", "B-PER", "I-PER"]
TEXTS = ["the boat sails to the island.", "Emile sailed, unboating the émile?", "x", "sailing islands boats it's the don't . !",
         "emileemile the zebra boat"]
STRATEGIES = ["none", "simple", "first", "average", "max"]


def bert_tokenizer():
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "boat", "sail", "to", "island", ".", ",", "?", "!", "##s", "##ing",
              "##ed", "un", "##boat", "emile", "##emile", "it", "'", "s", "don", "t", "a", "##a", "x", "##x", "in", "##land", "is", "##sail"]
    pieces += [f"word{i}" for i in range(make_models.VOCABULARY - len(pieces))]
    tokenizer = tokenizers.Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(pieces[:5])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
                                                sep_token="[SEP]", mask_token="[MASK]")


def roberta_tokenizer():
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = sorted({letter for text in TEXTS for letter, _ in pre_tokenizers.ByteLevel(False).pre_tokenize_str(text) for letter in letter})
    merges = [("s", "a"), ("i", "l"), ("sa", "il"), ("b", "o"), ("bo", "at"), ("a", "t"), ("t", "h"), ("th", "e"), ("Ġ", "the"),
              ("Ġ", "boat"), ("e", "m"), ("em", "il"), ("emil", "e")]
    pieces = special + letters + [a + b for a, b in merges]
    pieces += [f"word{i}" for i in range(make_models.VOCABULARY - len(pieces))]
    tokenizer = tokenizers.Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, merges))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.add_special_tokens(special)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", unk_token="<unk>", bos_token="<s>",
                                                eos_token="</s>", mask_token="<mask>")


def pipeline_of(task, model_type, head, tokenizer, **fields):
    config = transformers.AutoConfig.from_pretrained(make_models.HERE / model_type, **fields)
    model = make_models.class_of(model_type, head).from_pretrained(make_models.HERE / model_type, config=config, dtype=torch.float32)
    return transformers.pipeline(task, model=model.eval(), tokenizer=tokenizer, device="cpu")


def answers_of(model_type, tokenizer):
    labels = dict(id2label=dict(enumerate(LABELS)), label2id={name: i for i, name in enumerate(LABELS)})
    pad = tokenizer.mask_token
    classify = pipeline_of("text-classification", model_type, "ForSequenceClassification", tokenizer, **labels)
    find = pipeline_of("token-classification", model_type, "ForTokenClassification", tokenizer, **labels)
    fill = pipeline_of("fill-mask", model_type, "ForMaskedLM", tokenizer)
    extract = pipeline_of("feature-extraction", model_type, "Model", tokenizer)
    texts = [text for text in TEXTS if len(tokenizer(text).input_ids) <= 20]
    masked = [f"the {pad} sails", f"{pad} boat {pad}."]
    answers = dict(tokenizer=tokenizer.backend_tokenizer.to_str())
    answers["text-classification"] = [
        dict(text=text, function=function, answer=classify(text, top_k=None, function_to_apply=None if function == "default" else function))
        for text in texts for function in ("default", "softmax", "sigmoid", "none")]
    answers["token-classification"] = [dict(text=text, strategy=strategy, answer=find(text, aggregation_strategy=strategy))
                                       for text in texts for strategy in STRATEGIES]
    answers["fill-mask"] = [dict(text=text, answer=fill(text, top_k=3)) for text in masked]
    answers["feature-extraction"] = [dict(text=text, answer=extract(text)[0]) for text in texts[:2]]
    return answers


def zero_shot_answers(model_type, tokenizer):
    labels = dict(id2label={0: "contradiction", 1: "neutral", 2: "Entailment"})
    classify = pipeline_of("zero-shot-classification", model_type, "ForSequenceClassification", tokenizer, **labels)
    names, template = ["boat", "it", "x"], "the {}"
    return [dict(text=text, labels=names[:count], template=template, multi_label=multi_label,
                 answer=classify(text, names[:count], hypothesis_template=template, multi_label=multi_label))
            for text in ("the boat sails", "x") for multi_label in (False, True) for count in (1, 3)]


def written(tokenizer):
    write = pipeline_of("text-generation", "gpt2", "ForCausalLM", tokenizer)
    return [dict(text=text, full=full, answer=write(text, max_new_tokens=6, do_sample=False, return_full_text=full))
            for text in ("the boat", "sail") for full in (True, False)]


def image_answers():
    size = {"height": 12, "width": 20}
    model = transformers.ViTForImageClassification.from_pretrained(make_models.HERE / "vit", dtype=torch.float32).eval()
    classify = transformers.pipeline("image-classification", model=model, device="cpu",
                                     image_processor=transformers.ViTImageProcessorPil(size=size))
    rows, columns, channels = numpy.indices((17, 23, 3))
    picture = PIL.Image.fromarray(((rows * 13 + columns * 7 + channels * 40) % 256).astype(numpy.uint8))
    return [dict(function=function, answer=classify(picture, function_to_apply=None if function == "default" else function))
            for function in ("default", "sigmoid")]


if __name__ == "__main__":
    answers = {name: answers_of(name, tokenizer) for name, tokenizer in (("bert", bert_tokenizer()), ("roberta", roberta_tokenizer()))}

    answers["roberta"]["zero-shot-classification"] = zero_shot_answers("roberta", roberta_tokenizer())
    answers["roberta"]["text-generation"] = written(roberta_tokenizer())
    answers["vit"] = {"image-classification": image_answers()}

    def plain(value):
        return round(value.item() if hasattr(value, "item") else value, 7)

    with open(make_models.HERE / "pipelines.json", "w") as file:
        json.dump(json.loads(json.dumps(answers, default=plain), parse_float=lambda x: round(float(x), 7)), file, ensure_ascii=False)
    for name in ("bert", "roberta"):
        one = answers[name]
        print(name, one["token-classification"][1:8], one["fill-mask"][0])
