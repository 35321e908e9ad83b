#!/usr/bin/env python3
"""random_resume_test.py PROGRAM [--cases N] [--seed S] [--keras]: random models with all callbacks, killed after random
steps and started again until they are done, come to the bit to what the run came to that was left alone. With --keras
(in an environment that has it) the cases without shuffle and dropout are trained by Keras, too, in one go, and the run
that was taken up has its logs, its weights, its learning rate and its last epoch."""
import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile

KILLED = 9
TOLERANCE = 2e-3  # relative, of logs and weights after some hundred steps in f32


def draw_case(draw, plain):
    """Lines of case.txt, as the program reads them."""
    layers = []
    for _ in range(draw.randint(1, 3)):
        units, activation = draw.randint(2, 12), draw.choice(["relu", "tanh", "linear"])
        normalization = draw.sample(["batch_normalization", "layer_normalization"], draw.randint(0, 1))
        # BatchNormalization takes out what such a bias adds: its gradient is rounding errors alone, which optimizers that
        # divide by the gradient's size turn into steps of full size. Two libraries' biases go apart then, and mean nothing.
        no_bias = activation == "linear" and normalization == ["batch_normalization"]
        layers.append(f"dense {units} {activation}{' no_bias' if no_bias else ''}")
        layers += normalization
        if not plain:
            layers += draw.choice([[], ["dropout 0.3"]])
    layers.append("dense 1 linear")
    optimizer = draw.choice(["sgd 0.01", "adam 0.02", "rmsprop 0.005", "adamw 0.02"])
    options = {"optimizer": optimizer, "shuffle": 0 if plain else draw.randint(0, 1), "scheduled": draw.randint(0, 1),
               "rows": draw.randint(20, 60), "features": draw.randint(1, 5), "batch": draw.choice([4, 8, 16]),
               "save_freq": draw.choice([-1, 1, 2, 5]), "epochs": draw.randint(4, 16),
               "validation_freq": draw.randint(1, 3), "patience": draw.randint(1, 4), "plateau": draw.randint(1, 3)}
    return [f"layer {one}" for one in layers] + [f"option {name} {value}" for name, value in options.items()]


def run(program, folder, *cut):
    done = subprocess.run([program, folder, *map(str, cut)], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode not in (0, KILLED):
        sys.exit(f"FAILED: exit code {done.returncode} in {folder}\n{done.stderr}")
    return done.returncode


def written(folder):
    """What the run came to: the bytes of its files, without those whose names hold times."""
    names = ["weights.npz", "result.txt", "log.csv", "best.safetensors"]
    return {name: open(f"{folder}/{name}", "rb").read() for name in names if os.path.exists(f"{folder}/{name}")}


def make_folder(lines):
    folder = tempfile.TemporaryDirectory()
    with open(f"{folder.name}/case.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return folder


def taken_up(program, lines, draw):
    """A folder with the run that was killed, and how often it was."""
    folder = make_folder(lines)
    kills = 0
    for _ in range(draw.randint(1, 4)):
        if run(program, folder.name, draw.randint(1, 40)) == 0:
            return folder, kills
        kills += 1
    run(program, folder.name)
    return folder, kills


def keras_layer(keras, words):
    kind, rest = words[0], words[1:]
    if kind == "dense":
        return keras.layers.Dense(int(rest[0]), activation=rest[1], use_bias="no_bias" not in rest)
    return {"batch_normalization": keras.layers.BatchNormalization, "layer_normalization": keras.layers.LayerNormalization}[kind]()


def keras_run(folder):
    """The same in one go by Keras: its logs, weights and learning rate."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras  # pylint: disable=import-outside-toplevel
    import numpy  # pylint: disable=import-outside-toplevel
    data = numpy.load(f"{folder}/data.npz")
    lines = [line.split() for line in open(f"{folder}/case.txt", encoding="utf-8")]
    option = {words[1]: words[2:] for words in lines if words[0] == "option"}
    model = keras.Sequential([keras.Input((data["x"].shape[1],))] +
                             [keras_layer(keras, words[1:]) for words in lines if words[0] == "layer"])
    model.set_weights([data[f"w{i}"] for i in range(len(model.weights))])
    name, rate = option["optimizer"][0], float(option["optimizer"][1])
    optimizer = {"sgd": lambda: keras.optimizers.SGD(rate, momentum=0.9), "adam": lambda: keras.optimizers.Adam(rate),
                 "rmsprop": lambda: keras.optimizers.RMSprop(rate), "adamw": lambda: keras.optimizers.AdamW(rate)}[name]()
    model.compile(optimizer=optimizer, loss="mse", metrics=["mae"])
    number = {key: int(value[0]) for key, value in option.items() if key != "optimizer"}
    callbacks = [keras.callbacks.EarlyStopping(patience=number["patience"], restore_best_weights=True),
                 keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.5, patience=number["plateau"]),
                 keras.callbacks.CSVLogger(f"{folder}/keras.csv"), keras.callbacks.TerminateOnNaN()]
    if number["scheduled"]:
        callbacks.append(keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.95 * rate))
    model.fit(data["x"], data["y"], batch_size=number["batch"], epochs=number["epochs"], shuffle=False,
              validation_data=(data["vx"], data["vy"]), validation_batch_size=number["batch"],
              validation_freq=number["validation_freq"], callbacks=callbacks, verbose=0)
    return model.get_weights(), float(model.optimizer.learning_rate.numpy()
                                      if hasattr(model.optimizer.learning_rate, "numpy") else model.optimizer.learning_rate)


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def difference_from_keras(folder):
    """The largest relative difference; a text where something is another altogether."""
    import numpy  # pylint: disable=import-outside-toplevel
    weights, rate = keras_run(folder)
    ours, theirs = rows_of(f"{folder}/log.csv"), rows_of(f"{folder}/keras.csv")
    if len(ours) != len(theirs):
        return f"{len(ours)} epochs, of Keras {len(theirs)}"
    worst = 0.0
    for own, other in zip(ours, theirs):
        for name in ("loss", "mae", "val_loss", "val_mae"):
            values = [row.get(name) or "NA" for row in (own, other)]
            if "NA" in values:
                if values[0] != values[1] and other.get(name) is not None:
                    return f"{name}: {values}"
                continue
            worst = max(worst, abs(float(values[0]) - float(values[1])) / max(abs(float(values[1])), 0.1))
    with open(f"{folder}/result.txt", encoding="utf-8") as file:
        own_rate = float(file.readline().split()[-1])
    if abs(own_rate - rate) > 1e-6 * rate:
        return f"learning rate {own_rate}, of Keras {rate}"
    data = numpy.load(f"{folder}/weights.npz")
    for i, weight in enumerate(weights):
        worst = max(worst, float(numpy.max(numpy.abs(data[f"w{i}"] - weight)) / max(float(numpy.max(numpy.abs(weight))), 0.1)))
    return worst


def check_case(arguments, number):
    """How often it was killed, and how far it is from Keras."""
    draw = random.Random(f"{arguments.seed} {number}")
    lines = draw_case(draw, arguments.keras)
    whole = make_folder(lines)
    run(arguments.program, whole.name)
    folder, kills = taken_up(arguments.program, lines, draw)
    with whole, folder:
        wanted, got = written(whole.name), written(folder.name)
        differing = [name for name in wanted if got.get(name) != wanted[name]]
        if differing:
            sys.exit(f"FAILED: case {number}, killed {kills} times: {differing} differ\n" + "\n".join(lines))
        return kills, difference_from_keras(folder.name) if arguments.keras else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keras", action="store_true")
    arguments = parser.parse_args()
    kills, worst, others = 0, 0.0, []
    for number in range(arguments.cases):
        killed, difference = check_case(arguments, number)
        kills += killed
        if isinstance(difference, str):
            others.append(f"case {number}: {difference}")
        else:
            worst = max(worst, difference)
    print(f"{arguments.cases} cases, killed {kills} times: each is the run that was never ended")
    if arguments.keras:
        print(f"against Keras: at most {worst:.1e} apart")
    if others or worst > TOLERANCE:
        sys.exit("FAILED against Keras\n" + "\n".join(others))


if __name__ == "__main__":
    main()
