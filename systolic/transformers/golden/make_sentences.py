#!/usr/bin/env python3
"""What sentence-transformers makes of sentences: with the BERT of make_models.py and each pooling, and with MiniLM.

    python systolic/transformers/golden/make_sentences.py FOLDER     # sentence-transformers 5, FOLDER: all-MiniLM-L6-v2

sentences.json: for each case the poolings, whether vectors are normalized, and the vectors; then MiniLM's, and their similarities.
"""
import json
import sys
import tempfile

here = sys.path.pop(0)  # its folder peft is not the package that transformers looks for
import sentence_transformers
from sentence_transformers import models
sys.path.insert(0, here)

import make_models
import make_pipelines

TEXTS = ["the boat sails to the island.", "x", "Emile sailed, unboating the émile? the boat sails to the island and the boat sails to the island"]
SENTENCES = ["The sailors rode the breeze clear of the rocks.", "Weights are read, never run!", "A ship is at sea, in the wind."]
POOLINGS = [["mean"], ["cls"], ["max"], ["mean_sqrt_len_tokens"], ["cls", "max", "mean"]]
MOST_TOKENS = 14


def flags_of(names):
    flags = {"cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens", "mean": "pooling_mode_mean_tokens",
             "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens"}
    return {flag: name in names for name, flag in flags.items()}


def small_model(folder, names, normalizes):
    transformer = models.Transformer(folder, max_seq_length=MOST_TOKENS)
    pooling = models.Pooling(transformer.get_word_embedding_dimension(), **flags_of(names))
    return sentence_transformers.SentenceTransformer(modules=[transformer, pooling] + ([models.Normalize()] if normalizes else []), device="cpu")


def rounded(vectors):
    return [[round(float(x), 7) for x in row] for row in vectors]


if __name__ == "__main__":
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        make_models.class_of("bert", "Model").from_pretrained(make_models.HERE / "bert", dtype="float32").save_pretrained(folder)
        make_pipelines.bert_tokenizer().save_pretrained(folder)
        for names in POOLINGS:
            for normalizes in (False, True):
                model = small_model(folder, names, normalizes)
                cases.append(dict(poolings=names, normalizes=normalizes, vectors=rounded(model.encode(TEXTS))))
        model.save_pretrained(folder + "/saved")
        print(open(folder + "/saved/modules.json").read(), open(folder + "/saved/1_Pooling/config.json").read(),
              open(folder + "/saved/sentence_bert_config.json").read())
    minilm = sentence_transformers.SentenceTransformer(sys.argv[1], device="cpu")
    vectors = minilm.encode(SENTENCES)
    result = dict(texts=TEXTS, most_tokens=MOST_TOKENS, cases=cases, sentences=SENTENCES, minilm=rounded(vectors),
                  similarities=rounded(sentence_transformers.util.cos_sim(vectors, vectors)))
    with open(make_models.HERE / "sentences.json", "w") as file:
        json.dump(result, file, ensure_ascii=False)
    print(result["similarities"])
