// Reads a model, says what it computes, writes it again, and trains it one step: for
// check_with_keras.py.
//
//   resave_keras FROM DATA.npz TO RESULT.npz
//
// Where FROM.weights.json is there, weights come from it, and go to TO.weights.json, in several
// files. DATA has the inputs x0, x1, ... and the labels y. RESULT gets predictions, loss and after.
#include <algorithm>
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

namespace {

constexpr const char* of_shards = ".weights.json";

void forget(const Model& model) {
  for (const Variable& weight : model.weights())
    weight.set(Literal::zeros(weight.dtype(), weight.shape()));
}

// As many files as there can be.
void save_in_shards(const Model& model, const std::string& path) {
  double largest = 1;
  for (const Variable& weight : model.weights())
    largest = std::max(largest, 4.0 * double(weight.shape().elements()));
  model.save_weights(path, {.max_shard_size = (largest + 1) / 1024 / 1024 / 1024});
}

}  // namespace

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
    const std::string from = str(arguments[1], of_shards), to = str(arguments[3], of_shards);
    const bool in_shards = io::exists(from);
    if (in_shards) {
      forget(model);
      model.load_weights(from);
    }
    Example result;
    result.set("predictions", model.predict(x));
    model.save(arguments[3]);
    if (in_shards) save_in_shards(model, to);
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
