"""shared_data_test.py SYSTOLIC SHARED_DATA: how the processes of a run share a dataset, by row and by file, held against the same
descent computed here."""
import math
import os
import random
import subprocess
import sys
import tempfile

systolic, program = sys.argv[1:]
BATCH, EPOCHS, RATE = 8, 2, 0.05


def check(holds, what):
    if not holds:
        sys.exit("FAILED: " + what)
    print("ok:", what)


def write_points(folder, sizes):
    """Files of so many lines; their points."""
    draw = random.Random(5)
    files = []
    for number, size in enumerate(sizes):
        points = [(round(draw.uniform(-1, 1), 3), round(draw.uniform(-2, 2), 3)) for _ in range(size)]
        with open(f"{folder}/{number}.txt", "w", encoding="utf-8") as file:
            file.writelines(f"{x} {y}\n" for x, y in points)
        files.append(points)
    return files


def run(processes, folder, policy, rate, *more):
    words = [program, folder, policy, str(rate), *more]
    command = [systolic, "pod", "run", "-n", str(processes), "--", *words] if processes > 1 else words
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    return done.returncode, done.stdout + done.stderr


def losses(processes, folder, policy, rate, *more):
    code, text = run(processes, folder, policy, rate, *more)
    if code != 0:
        sys.exit(f"exit code {code}:\n{text}")
    with open(f"{folder}/result", encoding="utf-8") as file:
        return text, [float(line) for line in file]


def pieces(points, rows):
    return [points[i:i + rows] for i in range(0, len(points), rows)]


def batches_by_file(files, processes):
    """Each process has every so many files, and gives its part of each batch while it has rows."""
    own = [pieces([point for points in files[index::processes] for point in points], BATCH // processes)
           for index in range(processes)]
    return [[point for part in own if step < len(part) for point in part[step]]
            for step in range(max(len(part) for part in own))]


def descent(batches, rate):
    w = b = 0.0
    steps, epochs = [], []
    for _ in range(EPOCHS):
        total = rows = 0
        for batch in batches:
            errors = [(w * x + b - y, x) for x, y in batch]
            squares = sum(error * error for error, _ in errors)
            steps.append(squares / len(batch))
            total, rows = total + squares, rows + len(batch)
            w, b = (w - rate * 2 * sum(error * x for error, x in errors) / len(batch),
                    b - rate * 2 * sum(error for error, _ in errors) / len(batch))
        epochs.append(total / rows)
    return steps + epochs


def close(got, wanted):
    return len(got) == len(wanted) and all(math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)
                                           for a, b in zip(got, wanted, strict=True))


def check_rules(folder, files):
    everything = [point for points in files for point in points]
    for processes, policy, by_file, why in ((1, "auto", False, None), (2, "data", False, "its options say so"),
                                            (2, "auto", True, "it reads 5 files"), (2, "file", True, "its options say so"),
                                            (4, "auto", True, "it reads 5 files")):
        text, got = losses(processes, folder, policy, RATE)
        wanted = descent(batches_by_file(files, processes) if by_file else pieces(everything, BATCH), RATE)
        check(close(got, wanted), f"{processes} processes, {policy}: the losses of the descent by hand")
        rule = "by file" if by_file else "by row"
        said = f"fit: {processes} processes share the data {rule}, since {why}: "
        check(why is None or text.count(said) == 1, f"which is said once: {rule}" + ("" if why is None or said in text else "\n" + text))
    first, second = (losses(2, folder, "auto", RATE)[1] for _ in range(2))
    check(first == second, "the same bits in another run")


def check_each_process_has_a_dataset(folder, files):
    everything = [point for points in files for point in points]
    text, got = losses(2, folder, "off", RATE)
    twice = [part + part for part in pieces(everything, BATCH // 2)]
    check(close(got, descent(twice, RATE)), "off: each process reads all of it for its part")
    check("2 processes each read the dataset for themselves" in text, "which is said")


def check_every_row_counts_once(folder, files):
    """Without steps down the hill an epoch's loss is that of all rows, in whatever order they come."""
    squares = [y * y for points in files for _, y in points]
    for policy in ("data", "auto"):
        _, got = losses(2, folder, policy, 0, "shuffle")
        check(close(got[-EPOCHS:], [sum(squares) / len(squares)] * EPOCHS),
              f"{policy}: a shuffle without a seed gives every row once an epoch")


def check_rows_where_files_do_not_do(folder):
    for processes, more, why in ((6, (), "it reads 5 files"), (3, (), "a batch of 8 rows does not divide over 3 processes"),
                                 (2, ("save",), "the run can be taken up, at one place in the data")):
        text, _ = losses(processes, folder, "auto", RATE, *more)
        check(f"share the data by row, since {why}: " in text, f"by row: {why}")
    code, text = run(2, folder, "file", RATE, "save")
    check(code != 0 and "as its options ask, by file: the run can be taken up" in text, "what was asked for is refused")


def check_few_rows():
    with tempfile.TemporaryDirectory() as folder:
        files = write_points(folder, [20, 3])
        text, got = losses(2, folder, "auto", RATE)
        check("process 1 has 3 rows for its part of the first batch, not 4" in text, "by row: too few rows in a file")
        check(close(got, descent(pieces(files[0] + files[1], BATCH), RATE)), "and the losses are those of one process")


with tempfile.TemporaryDirectory() as data_folder:
    data_files = write_points(data_folder, [11, 6, 17, 9, 8])
    check_rules(data_folder, data_files)
    check_each_process_has_a_dataset(data_folder, data_files)
    check_every_row_counts_once(data_folder, data_files)
    check_rows_where_files_do_not_do(data_folder)
check_few_rows()
