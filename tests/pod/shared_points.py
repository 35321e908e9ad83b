"""Points in files for shared_data, its runs, and the descent by hand that they must be."""
import math
import random
import subprocess
import sys

BATCH, EPOCHS, RATE = 8, 2, 0.05
systolic, program = sys.argv[1:3]


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


def descent(batches, rate, place=(0.0, 0.0), epochs=EPOCHS):
    """The losses of the steps, then those of the epochs; and where it ends."""
    w, b = place
    steps, means = [], []
    for _ in range(epochs):
        total = rows = 0
        for batch in batches:
            errors = [(w * x + b - y, x) for x, y in batch]
            squares = sum(error * error for error, _ in errors)
            steps.append(squares / len(batch))
            total, rows = total + squares, rows + len(batch)
            w, b = (w - rate * 2 * sum(error * x for error, x in errors) / len(batch),
                    b - rate * 2 * sum(error for error, _ in errors) / len(batch))
        means.append(total / rows)
    return steps + means, (w, b)


def close(got, wanted):
    return len(got) == len(wanted) and all(math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)
                                           for a, b in zip(got, wanted, strict=True))
