"""shared_resume_test.py SYSTOLIC SHARED_DATA: processes that share their data by file are ended and taken up: as many go on where each
was, to the bit; another number begins the epoch anew."""
import os
import signal
import tempfile

from shared_points import BATCH, RATE, batches_by_file, check, close, descent, losses, run, write_points

SIZES = [11, 6, 17, 9, 8]
MUST_END = {signal.SIGKILL: (1, 137), signal.SIGTERM: (143,)}


def result(processes, folder, *words):
    """What a run said; losses of its steps, of its epochs; weights."""
    text, numbers = losses(processes, folder, "auto", RATE, *words)
    with open(f"{folder}/end", encoding="utf-8") as file:
        steps, *weights = file.read().split()
    return text, numbers[:int(steps)], numbers[int(steps):], weights


def last_step(folder):
    """Of the last whole checkpoint; 0 without one."""
    steps = [0]
    for path, _, files in os.walk(f"{folder}/backup"):
        if "commit_success.txt" in files:
            steps.append(int(os.path.basename(path).split("_")[1]))
    return max(steps)


def end(processes, folder, number, process, step, *words):
    """The steps that can be gone on from."""
    code, text = run(processes, folder, "auto", RATE, *words, f"end={number}:{process}:{step}")
    check(code in MUST_END[number], f"process {process} of {processes}, {words}: signal {number} in step {step}: exit code {code}"
          + ("" if code in MUST_END[number] else "\n" + text))
    return last_step(folder)


def check_bits(processes, number, step, *words):
    with tempfile.TemporaryDirectory() as whole_folder, tempfile.TemporaryDirectory() as folder:
        for each in (whole_folder, folder):
            write_points(each, SIZES)
        text, steps, epochs, weights = result(processes, whole_folder, *words)
        check(f"{processes} processes share the data by file, since it reads 5 files: " in text, "by file")
        done = end(processes, folder, number, step % processes, step, *words)
        _, more_steps, more_epochs, more_weights = result(processes, folder, *words)
        check(more_steps == steps[done:] and len(more_steps) + done == len(steps), f"the {len(more_steps)} steps after {done} have the same bits")
        check(more_epochs == epochs[len(epochs) - len(more_epochs):], f"so have {len(more_epochs)} epochs")
        check(more_weights == weights, "and the weights")


def check_other_number(before, now, step, word):
    """The epoch that was under way is computed anew from where the weights stood, in the batches of the processes that there are."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_points(folder, SIZES)
        done = end(before, folder, signal.SIGTERM, 0, step, word)
        text, steps, epochs, _ = result(now, folder, word)
        batches = batches_by_file(files, before)
        epoch, within = divmod(done, len(batches))
        taught = batches * epoch + batches[:within]
        _, place = descent(taught, RATE, epochs=1)
        own = batches_by_file(files, now) if now > 1 else pieces_of_all(files)
        wanted, _ = descent(own, RATE, place, 2 - epoch)
        check(close(steps + epochs, wanted), f"{now} after {before}: the descent by hand from step {done}")
        said = "the epoch begins anew" if within else "the data begins anew"
        check(f"in place of {before}, which each read rows of their own and had done {within} steps of epoch {epoch + 1}" in text
              and said in text, f"which is said: {said}" + ("" if said in text else "\n" + text))


def pieces_of_all(files):
    everything = [point for points in files for point in points]
    return [everything[i:i + BATCH] for i in range(0, len(everything), BATCH)]


def check_rows_stay_rows():
    """A run that one process began has one place in the data: those that go on share it by row."""
    with tempfile.TemporaryDirectory() as whole_folder, tempfile.TemporaryDirectory() as folder:
        for each in (whole_folder, folder):
            write_points(each, SIZES)
        _, steps, epochs, _ = result(1, whole_folder, "steps")
        done = end(1, folder, signal.SIGTERM, 0, 5, "steps")
        text, more_steps, more_epochs, _ = result(2, folder, "steps")
        check("share the data by row, since the run that is taken up had one place in the data" in text, "by row after one process")
        check(close(more_steps + more_epochs, steps[done:] + epochs), "the losses are those of one process")


def check_other_policy():
    with tempfile.TemporaryDirectory() as folder:
        write_points(folder, SIZES)
        end(2, folder, signal.SIGTERM, 1, 4, "steps")
        code, text = run(2, folder, "data", RATE, "steps")
        check(code != 0 and "in the run that is taken up each process read rows of its own" in text, "by row after by file is refused")


for count in (2, 4):
    for at in (1, 4, 7, 9, 10, 13):
        check_bits(count, signal.SIGKILL if at % 2 else signal.SIGTERM, at, "seeded", "steps")
    check_bits(count, signal.SIGKILL, 12, "epochs")
for earlier, later in ((4, 2), (2, 4), (4, 1)):
    check_other_number(earlier, later, 6, "steps")
check_other_number(4, 2, 13, "steps")
check_rows_stay_rows()
check_other_policy()
