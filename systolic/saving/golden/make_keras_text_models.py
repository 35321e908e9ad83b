"""Writes .keras files of models that begin with layers that take text, and what they predict.

    python systolic/saving/golden/make_keras_text_models.py     (Keras 3.15, TensorFlow 2.21)
"""
import json
import os
import pathlib

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

L = keras.layers
HERE = pathlib.Path(__file__).parent
TEXTS = np.array(["a fine film", "Dull film!", "a fine, fine story", "née Anne"])
NEW_TEXTS = [["fine dull née"], ["nothing known"], ["a story"]]
COLOURS, SIZES = [["red"], ["blue"], ["green"]], [[0.5, 1.0], [2.0, -1.0], [0.25, 3.0]]


def adapted(layer):
    layer.adapt(TEXTS)
    return layer


def sentiment():
    """Sequential: texts of any length, masked, to one number; compiled and not trained."""
    model = keras.Sequential([
        keras.Input((1,), dtype="string"), adapted(L.TextVectorization(name="words")),
        L.Embedding(9, 3, mask_zero=True), L.LSTM(4), L.Dense(1, "sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def goods():
    """Functional: two texts, one of them for two layers, and numbers."""
    text, colour, size = (keras.Input((), dtype="string", name="text"), keras.Input((1,), dtype="string", name="colour"),
                          keras.Input((2,), name="size"))
    bag = adapted(L.TextVectorization(output_mode="tf_idf", max_tokens=9, name="bag"))(text)
    words = L.Embedding(9, 2, name="meaning")(adapted(L.TextVectorization(output_sequence_length=4, name="words"))(text))
    hue = L.StringLookup(vocabulary=["blue", "red"], output_mode="one_hot", name="hue")(colour)
    crossed = L.Embedding(5, 2)(L.Hashing(5, name="hashed")(colour))
    both = L.Concatenate()([bag, L.Flatten()(words), hue, L.Flatten()(crossed), size])
    return keras.Model([text, colour, size], [L.Dense(2, name="price")(both), L.Dense(1, name="weight")(L.Dense(3, "tanh")(both))])


def main():
    keras.utils.set_random_seed(5)
    first, second = sentiment(), goods()
    first.save(HERE / "text_sentiment.keras")
    second.save(HERE / "text_goods.keras")
    texts, colours = tf.constant(NEW_TEXTS), tf.constant(COLOURS)
    price, weight = second([texts[:, 0], colours, tf.constant(SIZES)])
    answers = {"sentiment": first(texts), "price": price, "weight": weight}
    lines = [f'"made_by": "keras {keras.__version__}, tensorflow {tf.__version__}"']
    for name, answer in answers.items():
        answer = np.asarray(answer)
        lines.append(f'"{name}": ' + json.dumps({"shape": list(answer.shape), "values": [
            float(f"{float(x):.7g}") for x in answer.ravel()]}))
    (HERE / "text_models.json").write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
