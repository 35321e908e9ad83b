#!/usr/bin/env python3
"""Fine-tunes small models with `systolic glue`, `squad`, `ner`, `clm` and `summarization`, and with transformers' Trainer as its examples do.

    python tests/transformers/compare_fine_tuning.py build/release/bin/systolic

Same weights, same order, no dropout, on files of the shapes of MRPC (CSV), STS-B and MNLI (GLUE's TSV) and SQuAD, and on tagged
words, that are made here. Prints the largest difference of the losses of steps and of what is evaluated; exit code 1 above 1e-3.
transformers 5.23, torch 2.15, scikit-learn, SciPy, seqeval, rouge_score.
"""
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import seqeval.metrics
import tokenizers
import torch
import transformers
from rouge_score import rouge_scorer
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import f1_score
from tokenizers import models, normalizers, pre_tokenizers, processors, trainers

WORDS = "the boat sails to an island and back again harbour storm calm crew waits for wind rain it is late we left early".split()
ALLOWED = 1e-3


def sentence(generator):
    return " ".join(generator.choice(WORDS) for _ in range(generator.randint(4, 20)))


def pairs(seed, count):
    generator = random.Random(seed)
    for _ in range(count):
        first = sentence(generator)
        same = generator.random() < 0.6
        words = first.split() if same else sentence(generator).split()
        words[generator.randrange(len(words))] = generator.choice(WORDS)
        yield first, " ".join(words), same, generator.choice(range(3)), round(generator.uniform(0, 5), 2)


def write_rows(path, separator, heading, rows):
    with open(path, "w", newline="") as file:
        if separator == ",":
            csv.writer(file).writerows([heading, *rows])
        else:
            file.writelines(separator.join(map(str, row)) + "\n" for row in [heading, *rows])


def mrpc(folder):
    for name, seed, count in [("train", 1, 70), ("dev", 2, 21)]:
        write_rows(folder / f"{name}.csv", ",", ["label", "sentence1", "sentence2"],
                   [["equivalent" if same else "not_equivalent", a, b] for a, b, same, _, _ in pairs(seed, count)])
    return ["--train-file", folder / "train.csv", "--validation-file", folder / "dev.csv"]


def stsb(folder):
    (folder / "STS-B").mkdir()
    for name, seed, count in [("train", 3, 40), ("dev", 4, 17)]:
        write_rows(folder / "STS-B" / f"{name}.tsv", "\t", "index genre filename source1 source2 sentence1 sentence2 score".split(),
                   [[i, "main", "x", "none", "none", a, b, score] for i, (a, b, _, _, score) in enumerate(pairs(seed, count))])
    return ["--data-dir", folder]


def mnli(folder):
    (folder / "MNLI").mkdir()
    classes = ["entailment", "neutral", "contradiction"]
    for name, seed, count in [("train", 5, 48), ("dev_matched", 6, 12), ("dev_mismatched", 7, 13)]:
        write_rows(folder / "MNLI" / f"{name}.tsv", "\t", ["index", "genre", "sentence1", "sentence2", "label1", "gold_label"],
                   [[i, "x", a, b, "neutral", classes[label]] for i, (a, b, _, label, _) in enumerate(pairs(seed, count))])
    return ["--data-dir", folder]


# Task: its files, the seeds and counts of training and of each file to evaluate on, the label of a row, classes.
TASKS = {"mrpc": (mrpc, [(1, 70), (2, 21)], lambda row: int(row[2]), ["not_equivalent", "equivalent"]),
         "stsb": (stsb, [(3, 40), (4, 17)], lambda row: row[4], None),
         "mnli": (mnli, [(5, 48), (6, 12), (7, 13)], lambda row: row[3], ["entailment", "neutral", "contradiction"])}


def squad(folder):
    generator, rows = random.Random(8), []
    for i in range(24):
        context = " ".join(sentence(generator) for _ in range(4))
        words = context.split()
        begin = generator.randrange(len(words) - 3)
        answer = " ".join(words[begin:begin + 3])
        start = len(" ".join(words[:begin] + [""]))
        rows.append(dict(id=str(i), question=sentence(generator), context=context, answers=dict(text=[answer], answer_start=[start])))
    (folder / "train.json").write_text(json.dumps(dict(data=rows)))
    return rows


def squad_rows(tokenizer, examples):
    """What run_qa.py's prepare_train_features gives."""
    batch = tokenizer([one["question"] for one in examples], [one["context"] for one in examples], truncation="only_second", max_length=64,
                      padding="max_length", stride=8, return_overflowing_tokens=True, return_offsets_mapping=True)
    for i, which in enumerate(batch["overflow_to_sample_mapping"]):
        offsets, sequences, answers = batch["offset_mapping"][i], batch.sequence_ids(i), examples[which]["answers"]
        begin, end = answers["answer_start"][0], answers["answer_start"][0] + len(answers["text"][0])
        tokens = [token for token, sequence in enumerate(sequences) if sequence == 1]
        row = {name: batch[name][i] for name in ("input_ids", "token_type_ids", "attention_mask")}
        inside = offsets[tokens[0]][0] <= begin and offsets[tokens[-1]][1] >= end
        yield row | dict(start_positions=max(t for t in tokens if offsets[t][0] <= begin) if inside else 0,
                         end_positions=min(t for t in tokens if offsets[t][1] >= end) if inside else 0)


def make_tokenizer():
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator([" ".join(WORDS)] * 4, trainers.WordPieceTrainer(vocab_size=80, special_tokens=special))
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                                             special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
                                                sep_token="[SEP]", mask_token="[MASK]", model_max_length=64,
                                                model_input_names=["input_ids", "token_type_ids", "attention_mask"])
    return fast


def make_model(folder, classes, head="SequenceClassification"):
    fast = make_tokenizer()
    torch.manual_seed(0)
    labels = dict(num_labels=1) if classes is None else dict(
        id2label=dict(enumerate(classes)), label2id={name: i for i, name in enumerate(classes)})
    config = transformers.BertConfig(vocab_size=len(fast), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                     intermediate_size=64, max_position_embeddings=64, hidden_dropout_prob=0.0,
                                     attention_probs_dropout_prob=0.0, initializer_range=0.2, **labels)
    getattr(transformers, f"BertFor{head}")(config).save_pretrained(folder)
    fast.save_pretrained(folder)


def measures_of(task):
    def compute(given):
        logits, labels = given
        answers = logits[:, 0] if task == "stsb" else logits.argmax(1)
        if task == "stsb":
            return dict(pearson=pearsonr(answers, labels)[0], spearmanr=spearmanr(answers, labels)[0])
        return dict(accuracy=(answers == labels).mean()) | (dict(f1=f1_score(labels, answers)) if task == "mrpc" else {})
    return compute


def trained(head, folder, output, rows, collator=None, **more):
    """The losses of each step, and the Trainer."""
    arguments = transformers.TrainingArguments(
        output_dir=output, per_device_train_batch_size=8, num_train_epochs=3, learning_rate=5e-4, logging_steps=1, save_strategy="no",
        report_to=[], train_sampling_strategy="sequential", use_cpu=True, disable_tqdm=True, dataloader_pin_memory=False)
    trainer = transformers.Trainer(
        model=getattr(transformers, f"AutoModelFor{head}").from_pretrained(folder), args=arguments, train_dataset=rows,
        data_collator=(collator or transformers.DataCollatorWithPadding)(transformers.AutoTokenizer.from_pretrained(folder)), **more)
    trainer.train()
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry], trainer


def peer(task, folder, output):
    _, parts, label, _ = TASKS[task]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def rows_of(part):
        return [dict(tokenizer(row[0], row[1], truncation=True, max_length=64), label=label(row)) for row in pairs(*part)]

    losses, trainer = trained("SequenceClassification", folder, output, rows_of(parts[0]), compute_metrics=measures_of(task))
    found = {}
    for part, suffix in zip(parts[1:], ["", "_mm"]):
        found |= {name + suffix: value for name, value in trainer.evaluate(rows_of(part)).items()}
    return losses, found


def ours(program, command, folder, files, output, head="SequenceClassification"):
    subprocess.run([program, *command, "--model", folder, "--output-dir", output, "--file-order", "--learning-rate", "5e-4", *files],
                   check=True, stdout=subprocess.DEVNULL)
    losses = [entry["loss"] for entry in json.load(open(output / "trainer_state.json"))["log_history"]]
    getattr(transformers, f"AutoModelFor{head}").from_pretrained(output), transformers.AutoTokenizer.from_pretrained(output)
    return losses, json.load(open(output / "all_results.json"))


def compare(program, task, scratch):
    make_files, _, _, classes = TASKS[task]
    folder = scratch / task
    folder.mkdir()
    files = make_files(folder)
    make_model(folder / "model", classes)
    here, found = ours(program, ["glue", "--task", task], folder / "model", files, folder / "ours")
    there, wanted = peer(task, folder / "model", folder / "theirs")
    assert len(here) == len(there), (len(here), len(there))
    of_steps = max(abs(a - b) for a, b in zip(here, there))
    names = [name for name in wanted if not any(word in name for word in ("runtime", "per_second", "epoch"))]
    of_results = max(abs(found[name] - wanted[name]) for name in names)
    print(f"{task}: {len(here)} steps, largest difference of losses {of_steps:.1e}, of {', '.join(sorted(names))} {of_results:.1e}")
    return max(of_steps, of_results)


def compare_squad(program, scratch):
    folder = scratch / "squad"
    folder.mkdir()
    examples = squad(folder)
    make_model(folder / "model", ["0", "1"], "QuestionAnswering")
    files = ["--train-file", folder / "train.json", "--max-seq-length", "64", "--doc-stride", "8"]
    here, _ = ours(program, ["squad"], folder / "model", files, folder / "ours", "QuestionAnswering")
    rows = list(squad_rows(transformers.AutoTokenizer.from_pretrained(folder / "model"), examples))
    there, _ = trained("QuestionAnswering", folder / "model", folder / "theirs", rows)
    assert len(here) == len(there), (len(here), len(there))
    largest = max(abs(a - b) for a, b in zip(here, there))
    print(f"squad: {len(rows)} rows of {len(examples)} questions, {len(here)} steps, largest difference of losses {largest:.1e}")
    return largest


def tagged(seed, count):
    generator = random.Random(seed)
    for _ in range(count):
        words = sentence(generator).split()
        yield dict(tokens=words, ner_tags=[generator.choice(["O", "O", "B-PER", "I-PER", "B-LOC"]) for _ in words])


def ner_rows(tokenizer, examples, names):
    """What run_ner.py's tokenize_and_align_labels gives."""
    for one in examples:
        batch = tokenizer(one["tokens"], is_split_into_words=True, truncation=True, max_length=64)
        words = batch.word_ids()
        labels = [-100 if word is None or word == before else names.index(one["ner_tags"][word]) for before, word in zip([None, *words], words)]
        yield dict(batch, labels=labels)


def compare_ner(program, scratch):
    folder, names = scratch / "ner", ["B-LOC", "B-PER", "I-PER", "O"]
    folder.mkdir()
    make_model(folder / "model", names, "TokenClassification")
    parts = {"train": list(tagged(9, 45)), "dev": list(tagged(10, 13))}
    for name, rows in parts.items():
        (folder / f"{name}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = ["--train-file", folder / "train.json", "--validation-file", folder / "dev.json", "--max-seq-length", "64"]
    here, found = ours(program, ["ner"], folder / "model", files, folder / "ours", "TokenClassification")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "model")
    train, dev = (list(ner_rows(tokenizer, rows, names)) for rows in parts.values())

    def scores(given):
        answers, labels = given[0].argmax(-1), given[1]
        lists = [[[names[one] for one, label in zip(row, known) if label >= 0] for row, known in zip(rows, labels)] for rows in (labels, answers)]
        return {name: getattr(seqeval.metrics, f"{name}_score")(*lists) for name in ("precision", "recall", "f1", "accuracy")}

    there, trainer = trained("TokenClassification", folder / "model", folder / "theirs", train,
                             transformers.DataCollatorForTokenClassification, compute_metrics=scores)
    wanted = trainer.evaluate(dev)
    largest = max(abs(a - b) for a, b in zip(here, there))
    names = ["eval_loss", "eval_precision", "eval_recall", "eval_f1", "eval_accuracy"]
    of_results = max(abs(found[name] - wanted[name]) for name in names)
    print(f"ner: {len(here)} steps, largest difference of losses {largest:.1e}, of {', '.join(names)} {of_results:.1e}")
    return max(largest, of_results)


def compare_clm(program, scratch):
    folder, tokenizer = scratch / "clm", make_tokenizer()
    folder.mkdir()
    torch.manual_seed(0)
    transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=4, n_positions=64, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        initializer_range=0.2)).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    generator, blocks = random.Random(12), {}
    for name, count in [("train", 90), ("dev", 40)]:
        lines = [sentence(generator) for _ in range(count)]
        (folder / f"{name}.txt").write_text("".join(line + "\n" for line in lines))
        ids = sum((tokenizer(line).input_ids for line in lines), [])  # group_texts
        blocks[name] = [dict(input_ids=ids[at:at + 32], labels=ids[at:at + 32]) for at in range(0, len(ids) - 31, 32)]
    files = ["--train-file", folder / "train.txt", "--validation-file", folder / "dev.txt", "--block-size", "32"]
    here, found = ours(program, ["clm"], folder / "model", files, folder / "ours", "CausalLM")
    there, trainer = trained("CausalLM", folder / "model", folder / "theirs", blocks["train"], lambda _: transformers.default_data_collator)
    # The Trainer divides by all labels of a batch, of which the first of each row is predicted by nothing.
    counted = 31 / 32
    of_loss = abs(found["eval_loss"] * counted - trainer.evaluate(blocks["dev"])["eval_loss"])
    largest = max(abs(a * counted - b) for a, b in zip(here, there, strict=True))
    print(f"clm: {len(here)} steps, largest difference of losses {largest:.1e}, of eval_loss {of_loss:.1e}")
    return max(largest, of_loss)


def compare_summarization(program, scratch):
    folder, tokenizer = scratch / "summarization", make_tokenizer()
    folder.mkdir()
    torch.manual_seed(0)
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, eos_token_id=3, pad_token_id=0,
        decoder_start_token_id=0))
    model.save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    generator, rows = random.Random(13), {}
    for name, count in [("train", 45), ("dev", 13)]:
        texts = [sentence(generator) for _ in range(count)]
        write_rows(folder / f"{name}.csv", ",", ["text", "summary"], [[text, " ".join(text.split()[:3])] for text in texts])
        rows[name] = [dict(tokenizer(text), labels=tokenizer(" ".join(text.split()[:3])).input_ids) for text in texts]
        for row in rows[name]:
            row.pop("token_type_ids", None)
    files = ["--train-file", folder / "train.csv", "--validation-file", folder / "dev.csv", "--max-target-length", "20"]
    here, found = ours(program, ["summarization"], folder / "model", files, folder / "ours", "Seq2SeqLM")
    there, trainer = trained("Seq2SeqLM", folder / "model", folder / "theirs", rows["train"], transformers.DataCollatorForSeq2Seq)
    wanted = trainer.evaluate(rows["dev"])["eval_loss"]
    largest = max(abs(a - b) for a, b in zip(here, there, strict=True))
    of_loss = abs(found["eval_loss"] - wanted)
    # What is written: by the weights that were learned here, as rounding may choose another token.
    learned = transformers.T5ForConditionalGeneration.from_pretrained(folder / "ours")
    written = [tokenizer.decode(learned.generate(torch.tensor([row["input_ids"]]), max_length=20)[0], skip_special_tokens=True)
               for row in rows["dev"]]
    lines = (folder / "ours/generated_predictions.txt").read_text().splitlines()
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
    references = [" ".join(tokenizer.decode(row["labels"], skip_special_tokens=True).split()) for row in rows["dev"]]
    for kind in ("rouge1", "rougeL"):
        mean = sum(scorer.score(a, b)[kind].fmeasure for a, b in zip(references, written)) / len(written)
        of_loss = max(of_loss, abs(found[f"eval_{kind}"] - 100 * mean))
    print(f"summarization: {len(here)} steps, largest difference of losses {largest:.1e}, of eval_loss, ROUGE {of_loss:.1e}, "
          f"{sum(a == b for a, b in zip(lines, written))} of {len(written)} texts are equal")
    return max(largest, of_loss)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        differences = [compare(pathlib.Path(sys.argv[1]).resolve(), task, pathlib.Path(made)) for task in TASKS]
        for compare_one in (compare_squad, compare_ner, compare_clm, compare_summarization):
            differences.append(compare_one(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(made)))
    sys.exit(0 if max(differences) <= ALLOWED else 1)
