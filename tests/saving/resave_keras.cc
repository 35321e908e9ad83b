// Reads a model, says what it computes, writes it again, and trains it one step: for
// check_with_keras.py.
//
//   resave_keras FROM DATA.npz TO RESULT.npz
//
// DATA has the inputs x0, x1, ... and the labels y. RESULT gets predictions, loss and after.
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: resave_keras FROM DATA.npz TO RESULT.npz\n";
    return 2;
  }
  try {
    const Example data = io::read_npz(arguments[2]);
    std::vector<Literal> xs;
    while (const Literal* x = data.find(str("x", xs.size()))) xs.push_back(*x);
    const ModelArrays x(xs);
    Model model = load_model(arguments[1]);
    Example result;
    result.set("predictions", model.predict(x));
    model.save(arguments[3]);
    const Literal& y = data["y"];
    const History history =
        model.fit(x, y, {.epochs = 1, .batch_size = y.shape()[0], .shuffle = false, .verbose = 0});
    result.set("loss", Literal::scalar(history.last("loss")));
    result.set("after", model.predict(x));
    io::write_npz(arguments[4], result);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
