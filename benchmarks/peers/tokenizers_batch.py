#!/usr/bin/env python3
"""The `tokenizers` package on one thread, as tokenizer_bench.cc: tokenizers_batch.py tokenizer.json LINES offsets|ids SECONDS"""
import json
import os
import pathlib
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import tokenizers  # noqa: E402


def main():
    file, lines, what, seconds = sys.argv[1:]
    tokenizer = tokenizers.Tokenizer.from_file(file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = pathlib.Path(lines).read_text().split("\n")
    encode = tokenizer.encode_batch if what == "offsets" else tokenizer.encode_batch_fast
    best, begin = float("inf"), time.perf_counter()
    while True:
        start = time.perf_counter()
        encodings = encode(texts)
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begin > float(seconds):
            break
    print(json.dumps({"texts_per_s": round(len(texts) / best),
                      "mb_per_s": round(sum(len(text.encode()) for text in texts) / best / 1e6, 2),
                      "tokens": sum(len(encoding.ids) for encoding in encodings)}))


main()
