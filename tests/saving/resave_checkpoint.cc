// Reads a model's layers from one file and its state from a checkpoint, says what it computes,
// writes the checkpoint again, and trains one step: for check_with_tensorflow.py.
//
//   resave_checkpoint MODEL CHECKPOINT DATA.npz TO.ckpt RESULT.npz
//
// DATA has the inputs x and the labels y. RESULT gets predictions and loss.
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

int main(int count, char** arguments) {
  if (count != 6) {
    std::cerr << "usage: resave_checkpoint MODEL CHECKPOINT DATA.npz TO.ckpt RESULT.npz\n";
    return 2;
  }
  try {
    const Example data = io::read_npz(arguments[3]);
    // The checkpoint alone says what the weights and the optimizer's slots are.
    Model model = load_model(arguments[1]);
    for (const Variable& variable : model.weights())
      variable.set(Literal::filled(variable.dtype(), variable.shape(), 0.5));
    for (const auto& [name, variable] : model.optimizer().named_variables()) {
      if (name != "learning_rate")
        variable.set(Literal::filled(variable.dtype(), variable.shape(), 1));
    }
    model.load_weights(arguments[2]);
    model.save_weights(arguments[4]);
    Example result;
    result.set("predictions", model.predict(data["x"]));
    const Literal& y = data["y"];
    const History history = model.fit(
        data["x"], y, {.epochs = 1, .batch_size = y.shape()[0], .shuffle = false, .verbose = 0});
    result.set("loss", Literal::scalar(history.last("loss")));
    io::write_npz(arguments[5], result);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
