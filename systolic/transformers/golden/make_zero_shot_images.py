#!/usr/bin/env python3
"""What transformers' pipeline("zero-shot-image-classification") answers with a small CLIP and a small SigLIP.

    python systolic/transformers/golden/make_zero_shot_images.py      # transformers 5.23, torch 2.15, Pillow 13

clip_zero_shot/ and siglip_zero_shot/ are folders of save_pretrained, in f16, with tokenizer and image processor; answers.json has the
settings and answers, of pictures of which each number follows from its place.
"""
import json

import numpy
import PIL.Image
import tokenizers
import torch
import transformers

import make_models

SIZES = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2)
TEXT = dict(SIZES, max_position_embeddings=64, bos_token_id=0, eos_token_id=1, pad_token_id=1)
PICTURE = dict(SIZES, image_size=12, patch_size=4)
LABELS = ["a Boat", "2 islands", "the sea", ""]
CALLS = [dict(labels=LABELS[:3]), dict(labels=LABELS[:1]), dict(labels=LABELS, template="{}"),
         dict(labels=LABELS[1:3], template="it's {}, or is it?"), dict(labels=["boat", "boat"])]
PICTURES = [(17, 23), (40, 12)]
LONG = "the sea and all the boats on it " * 3


def clip_tokenizer():
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    merges = [("a", "t</w>"), ("o", "at</w>"), ("b", "oat</w>"), ("t", "h"), ("th", "e</w>"), ("i", "s")]
    pieces = ["<|startoftext|>", "<|endoftext|>"] + letters + [one + "</w>" for one in letters] + [a + b for a, b in merges]
    return transformers.CLIPTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, merges=merges)


def siglip_tokenizer():
    letters = sorted(set("abdehilnoprstuTafx02',.?▁"))
    pieces = [("<s>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(one, -4.0) for one in letters]
    pieces += [("▁boat", -3.0), ("▁the", -2.5), ("▁is", -3.5), ("is", -5.0), ("▁photo", -3.0)]
    backend = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, unk_id=2))
    backend.normalizer = tokenizers.normalizers.Lowercase()
    backend.pre_tokenizer, backend.decoder = tokenizers.pre_tokenizers.Metaspace(), tokenizers.decoders.Metaspace()
    backend.post_processor = tokenizers.processors.TemplateProcessing("$A </s>", "$A $B </s>", [("</s>", 1)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="</s>", pad_token="</s>", unk_token="<unk>")


def clip_model(vocabulary):
    return transformers.CLIPModel(transformers.CLIPConfig(
        text_config=dict(TEXT, vocab_size=vocabulary), vision_config=PICTURE, projection_dim=12, initializer_factor=4.0))


def siglip_model(vocabulary):
    model = transformers.SiglipModel(transformers.SiglipConfig(text_config=dict(TEXT, vocab_size=vocabulary), vision_config=PICTURE))
    with torch.no_grad():
        model.logit_scale += 1.5
        model.logit_bias -= 1.0
    return model


def picture_of(height, width):
    rows, columns, channels = numpy.indices((height, width, 3))
    return PIL.Image.fromarray(((rows * 13 + columns * 7 + channels * 40) % 256).astype(numpy.uint8))


def answers_of(folder):
    classify = transformers.pipeline("zero-shot-image-classification", model=folder, device="cpu", dtype=torch.float32,
                                     image_processor=transformers.AutoImageProcessor.from_pretrained(folder, backend="pil"))
    calls = CALLS + ([dict(labels=LABELS[:2] + [LONG])] if "siglip" in folder.name else [])  # CLIP's texts are not cut off
    answers = []
    for height, width in PICTURES:
        for call in calls:
            given = dict(hypothesis_template=call["template"]) if "template" in call else {}
            answer = classify(picture_of(height, width), candidate_labels=call["labels"], **given)
            answers.append(dict(call, height=height, width=width, answer=answer))
            print(folder.name, answers[-1])
    return answers


def main():
    makers = {"clip_zero_shot": (clip_tokenizer, clip_model, transformers.CLIPImageProcessorPil,
                                 dict(size={"shortest_edge": 12}, crop_size={"height": 12, "width": 12})),
              "siglip_zero_shot": (siglip_tokenizer, siglip_model, transformers.SiglipImageProcessorPil,
                                   dict(size={"height": 12, "width": 12}))}
    for number, (name, (tokenizer_of, model_of, processor, fields)) in enumerate(makers.items()):
        folder = make_models.HERE / name
        tokenizer = tokenizer_of()
        torch.manual_seed(number)
        make_models.moved(model_of(len(tokenizer)), 100 * number).half().save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        processor(**fields).save_pretrained(folder)
        text = json.dumps(answers_of(folder), ensure_ascii=True)
        (folder / "answers.json").write_text(text + "\n")
        print(sorted((path.name, path.stat().st_size) for path in folder.iterdir()))


if __name__ == "__main__":
    main()
