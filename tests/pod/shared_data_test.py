"""shared_data_test.py SYSTOLIC SHARED_DATA: how the processes of a run share a dataset, by row and by file, held against the same
descent computed here."""
import tempfile

from shared_points import BATCH, EPOCHS, RATE, batches_by_file, check, close, descent, losses, pieces, run, write_points


def check_rules(folder, files):
    everything = [point for points in files for point in points]
    for processes, policy, by_file, why in ((1, "auto", False, None), (2, "data", False, "its options say so"),
                                            (2, "auto", True, "it reads 5 files"), (2, "file", True, "its options say so"),
                                            (4, "auto", True, "it reads 5 files")):
        text, got = losses(processes, folder, policy, RATE)
        wanted = descent(batches_by_file(files, processes) if by_file else pieces(everything, BATCH), RATE)[0]
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
    check(close(got, descent(twice, RATE)[0]), "off: each process reads all of it for its part")
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
                                 (2, ("save",), "what saves the run keeps one place in the data, that of process 0")):
        text, _ = losses(processes, folder, "auto", RATE, *more)
        check(f"share the data by row, since {why}: " in text, f"by row: {why}")
    code, text = run(2, folder, "file", RATE, "save")
    check(code != 0 and "as its options ask, by file: what saves the run" in text, "what was asked for is refused")


def check_few_rows():
    with tempfile.TemporaryDirectory() as folder:
        files = write_points(folder, [20, 3])
        text, got = losses(2, folder, "auto", RATE)
        check("process 1 has 3 rows for its part of the first batch, not 4" in text, "by row: too few rows in a file")
        check(close(got, descent(pieces(files[0] + files[1], BATCH), RATE)[0]), "and the losses are those of one process")


with tempfile.TemporaryDirectory() as data_folder:
    data_files = write_points(data_folder, [11, 6, 17, 9, 8])
    check_rules(data_folder, data_files)
    check_each_process_has_a_dataset(data_folder, data_files)
    check_every_row_counts_once(data_folder, data_files)
    check_rows_where_files_do_not_do(data_folder)
check_few_rows()
