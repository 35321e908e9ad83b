"""Writes .keras files of models with preprocessing layers that learnt, and what the layers answer.

    python systolic/saving/golden/make_keras_layers.py     (Keras 3.15, TensorFlow 2.21)
"""
import json
import os
import pathlib

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras  # noqa: E402
import numpy as np  # noqa: E402

L = keras.layers
HERE = pathlib.Path(__file__).parent
TEXTS = np.array(["a fine film", "Dull film!", "a fine, fine story", "née Anne"])
NEW_TEXTS = np.array([["fine dull née"], ["nothing known"]])
CITIES = np.array(["Bern", "Oslo", "Bern", "Rome", "Bern", "Oslo"])
NEW_CITIES = np.array([["Oslo"], ["Lima"], ["Bern"]])
DAYS = np.array([[5], [5], [3], [9], [3], [5]])
NEW_DAYS = np.array([[9], [4], [5]])
NUMBERS = np.array([[1.0, 2], [3, 5], [2, 11]], np.float32)


def adapted(layer, data):
    layer.adapt(data)
    return layer


def main():
    words = adapted(L.TextVectorization(output_sequence_length=4, name="words"), TEXTS)
    bag = adapted(L.TextVectorization(output_mode="tf_idf", ngrams=2, max_tokens=9, name="bag"), TEXTS)
    text = keras.Input((1,), dtype="string")
    inner = keras.Sequential([keras.Input((1,), dtype="string"), words], name="inner")
    keras.Model(text, [inner(text), bag(text)]).save(HERE / "learned_text.keras")

    cities = adapted(L.StringLookup(name="cities", mask_token="", num_oov_indices=2), CITIES)
    given = L.StringLookup(vocabulary=["Rome", "Oslo"], name="given")
    city = keras.Input((1,), dtype="string")
    keras.Model(city, [cities(city), given(city)]).save(HERE / "learned_cities.keras")

    days = adapted(L.IntegerLookup(name="days"), DAYS)
    rare = adapted(L.IntegerLookup(name="rare", output_mode="tf_idf", max_tokens=3), DAYS)
    scaled = adapted(L.Normalization(name="scaled"), NUMBERS)
    bins = adapted(L.Discretization(num_bins=3, name="bins"), np.arange(10.0))
    day, number = keras.Input((1,), dtype="int64"), keras.Input((2,))
    learned = keras.Model([day, number], [days(day), rare(day), scaled(number), bins(number)])
    learned.save(HERE / "learned_numbers.keras")

    answers = {"words": words(NEW_TEXTS), "bag": bag(NEW_TEXTS), "cities": cities(NEW_CITIES),
               "given": given(NEW_CITIES), "days": days(NEW_DAYS), "rare": rare(NEW_DAYS),
               "scaled": scaled(NUMBERS), "bins": bins(NUMBERS)}
    lines = [f'"made_by": "keras {keras.__version__}, tensorflow"']
    for name, answer in answers.items():
        answer = np.asarray(answer)
        lines.append(f'"{name}": ' + json.dumps({"shape": list(answer.shape), "values": [
            float(f"{float(x):.7g}") for x in answer.ravel()]}))
    (HERE / "learned_layers.json").write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
