"""The paths of weights of some networks in Keras, for systolic/train/callbacks/logging/tensor_board_test.cc.

    python3 make_weight_paths.py    # with Keras 3.15, any backend
"""
import keras


def dense(name):
    return keras.layers.Dense(2, use_bias=False, name=name)


def show(network):
    print(network.name, [weight.path for layer in network.layers for weight in layer.weights])


inner = keras.Sequential([dense("in")], name="inner")
show(keras.Sequential([keras.Input((4,)), dense("d2"), inner], name="seq"))
a, b, c = keras.Input((4,)), keras.Input((4,)), keras.Input((4,))
functional = keras.Model(a, dense("fd")(a), name="fun")
show(functional)
show(keras.Sequential([keras.Input((4,)), functional, keras.layers.Dense(2, use_bias=False, name="d2")], name="seq"))
show(keras.Model(b, functional(b), name="out"))
show(keras.Model(c, keras.Sequential([dense("inner_dense")], name="inner")(dense("dense")(c)), name="small"))
