"""Writes a SavedModel as tf_keras saves it, without its graph, and what the model says: for saved_model_file_test.cc.

    python systolic/saving/golden/make_saved_model.py          (tf_keras 2.21, TensorFlow 2.21)
"""
import os
import pathlib
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tf_keras as keras

HERE = pathlib.Path(__file__).parent


def main():
    keras.utils.set_random_seed(3)
    pictures = keras.Input((6, 6, 2), name="pictures")
    x = keras.layers.Conv2D(3, 3, activation="relu")(pictures)
    x = keras.layers.BatchNormalization()(x)
    model = keras.Model(pictures, keras.layers.Dense(4, activation="softmax", name="classes")(keras.layers.Flatten()(x)))
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    draw = np.random.RandomState(0)
    images, labels = draw.randn(8, 6, 6, 2).astype("float32"), (np.arange(8) % 4).astype("int64")
    model.fit(images, labels, batch_size=4, epochs=2, verbose=0)
    folder = HERE / "tf_keras_saved"
    model.save(folder, save_format="tf")
    for name in ("saved_model.pb", "fingerprint.pb"):
        (folder / name).unlink()
    shutil.rmtree(folder / "assets")
    expected = {"images": images, "labels": labels, "classes": model.predict(images, verbose=0)}
    losses = [model.train_on_batch(images, labels)[0] for _ in range(2)]
    np.savez(HERE / "expected_saved_model.npz", next_losses=np.array(losses, "float32"), **expected)


if __name__ == "__main__":
    main()
