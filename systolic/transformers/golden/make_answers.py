#!/usr/bin/env python3
"""Answers to questions: rows of tokens, post-processing and pipeline, with models of make_models.py and tokenizers of make_pipelines.py.

    PYTHONPATH=FOLDER python systolic/transformers/golden/make_answers.py      # transformers 4.57, the last with the pipeline; torch 2.15

FOLDER has utils_qa.py of transformers' examples/pytorch/question-answering. answers.json:
    features     for BERT and RoBERTa: examples, settings, and the rows that run_qa.py would make
    postprocess  of BERT's rows with drawn scores (in `scores.safetensors` of the same folder: answers_scores.safetensors)
    pipeline     of both models: settings and answers
"""
import json
import pathlib
import sys
import tempfile
import types

import numpy
import torch
import transformers
import utils_qa
from safetensors.numpy import save_file

# make_models.py writes models with transformers 5; here only its folders are read.
sys.modules["transformers.core_model_loading"] = types.SimpleNamespace(revert_weight_conversion=None)
import make_models  # noqa: E402
import make_pipelines  # noqa: E402

TEXTS = ["the boat sails to the island. the island is émile's, don't sail to it !", "Emile sailed, unboating the émile? the boat sails",
         "zebra boats", "the islands, the boat, the sails, a boat, the émile, it's the don't, a boat sails to the island, sailing it is. " * 2]
QUESTIONS = ["  the boat ?", "émile sailing", "is it", "the island , the boat , the island ?"]
ANSWERS = [["to the island"], ["émile", "Emile"], [], ["a boat sails"]]
SETTINGS = [dict(max_seq_length=20, doc_stride=4), dict(max_seq_length=16, doc_stride=0), dict(max_seq_length=19, doc_stride=7)]


def examples():
    made = []
    for i, context in enumerate(TEXTS):
        answers = ANSWERS[i] if i != 3 else []
        made.append(dict(id=f"q{i}", question=QUESTIONS[i], context=context, answers=answers, starts=[context.index(one) for one in answers]))
    made.append(dict(id="q4", question="the boat", context=TEXTS[3], answers=["a boat sails"], starts=[TEXTS[3].index("a boat sails")]))
    return made


def fits(tokenizer, question, length, stride):
    """Whether the question leaves room for more than what two rows share."""
    return len(tokenizer(question.lstrip(), add_special_tokens=False).input_ids) + 4 + stride < length


def rows_of(tokenizer, given, settings):
    """What run_qa.py's prepare_train_features and prepare_validation_features give."""
    batch = tokenizer([one["question"].lstrip() for one in given], [one["context"] for one in given], truncation="only_second",
                      max_length=settings["max_seq_length"], stride=settings["doc_stride"], return_overflowing_tokens=True,
                      return_offsets_mapping=True)
    rows = []
    for i, which in enumerate(batch["overflow_to_sample_mapping"]):
        ids, sequences, offsets = batch["input_ids"][i], batch.sequence_ids(i), batch["offset_mapping"][i]
        begin = end = ids.index(tokenizer.cls_token_id if tokenizer.cls_token_id is not None else tokenizer.bos_token_id)
        if given[which]["answers"]:
            first, last = given[which]["starts"][0], given[which]["starts"][0] + len(given[which]["answers"][0])
            low, high = sequences.index(1), len(sequences) - 1 - sequences[::-1].index(1)
            if offsets[low][0] <= first and offsets[high][1] >= last:
                begin = max(token for token in range(low, high + 1) if offsets[token][0] <= first)
                end = min(token for token in range(low, high + 1) if offsets[token][1] >= last)
        rows.append(dict(example=which, ids=ids, start=begin, end=end,
                         offsets=[list(one) if sequence == 1 else None for one, sequence in zip(offsets, sequences)]))
    return rows


class Examples(list):
    """Rows, or a column by its name, as a Dataset gives them."""

    def __getitem__(self, key):
        return [one[key] for one in self] if isinstance(key, str) else super().__getitem__(key)


def postprocess(rows, given, generator, number):
    longest = max(len(row["ids"]) for row in rows) + 3
    scores = [generator.normal(size=(len(rows), longest)).astype("float32") * 3 for _ in range(2)]
    options = dict(version_2_with_negative=number % 2 == 1, n_best_size=[20, 3, 1, 6][number % 4], max_answer_length=[30, 2, 5][number % 3],
                   null_score_diff_threshold=[0.0, -4.0, 3.0][number % 3])
    if number == 5:
        for array in scores:
            array[:, 0] += 30  # nothing is answered
    features = [dict(example_id=given[row["example"]]["id"], offset_mapping=[tuple(one) if one else None for one in row["offsets"]])
                for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        utils_qa.postprocess_qa_predictions(Examples(given), features, scores, output_dir=folder, log_level=30, **options)
        read = {path.stem: json.loads(path.read_text()) for path in pathlib.Path(folder).iterdir()}
    return dict(options=options, text=read["predictions"], best=read["nbest_predictions"], odds=read.get("null_odds")), scores


def pipeline_answers(model_type, tokenizer):
    answer = make_pipelines.pipeline_of("question-answering", model_type, "ForQuestionAnswering", tokenizer, num_labels=2)
    cases = []
    for question, context in [(QUESTIONS[0].strip(), TEXTS[0]), (QUESTIONS[1], TEXTS[1]), ("the", TEXTS[2]), (QUESTIONS[2], TEXTS[3])]:
        for options in [dict(), dict(top_k=4), dict(top_k=3, max_answer_len=2), dict(top_k=5, handle_impossible_answer=True),
                        dict(top_k=3, align_to_words=False), dict(top_k=4, max_seq_len=18, doc_stride=5), dict(max_seq_len=16, doc_stride=2)]:
            options = {"max_seq_len": 20, "doc_stride": 4} | options
            if not fits(tokenizer, question, options["max_seq_len"], options["doc_stride"]):
                continue
            got = answer(question=question, context=context, **options)
            cases.append(dict(question=question, context=context, options=options, answer=got if isinstance(got, list) else [got]))
    return cases


def main():
    generator, arrays = numpy.random.default_rng(5), {}
    tokenizers = dict(bert=make_pipelines.bert_tokenizer(), roberta=make_pipelines.roberta_tokenizer())
    given = examples()
    tokenizers["roberta"].cls_token = "<s>"
    found = dict(examples=given, tokenizers={name: each.backend_tokenizer.to_str() for name, each in tokenizers.items()}, features={},
                 postprocess=[], pipeline={})
    for name, tokenizer in tokenizers.items():
        found["features"][name] = [
            dict(settings, examples=[one["id"] for one in fitting], rows=rows_of(tokenizer, fitting, settings)) for settings in SETTINGS
            if (fitting := [one for one in given if fits(tokenizer, one["question"], settings["max_seq_length"], settings["doc_stride"])])]
        found["pipeline"][name] = pipeline_answers(name, tokenizer)
    rows = found["features"]["bert"][0]["rows"]
    for number in range(12):
        case, (starts, ends) = postprocess(rows, given, generator, number)
        found["postprocess"].append(case)
        arrays |= {f"starts.{number}": starts, f"ends.{number}": ends}
    (make_models.HERE / "answers.json").write_text(json.dumps(found, ensure_ascii=False) + "\n")
    save_file(arrays, make_models.HERE / "answers_scores.safetensors")


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    main()
