// What a convnet of keras.applications answers, with the weights of a file.
//
//   application_outputs NAME WEIGHTS PIXELS.npz OUTPUTS.npz [CLASSES]
//
// PIXELS.npz holds "x", f32 [batch, height, width, 3]; OUTPUTS.npz gets "y", the logits. For
// check_with_keras.py.
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

namespace {

int run(const std::vector<std::string>& words) {
  const Literal x = io::read_npz(words[3])["x"];
  const Model model = applications::application(
      words[1], {.weights = words[2],
                 .input_shape = x.shape().without(0),
                 .classes = words.size() > 5 ? std::stoll(words[5]) : 1000,
                 .classifier_activation = "linear"});
  int64_t parameters = 0;
  for (const Variable& one : model.network().weights()) parameters += one.shape().elements();
  std::cout << parameters << "\n";
  io::write_npz(words[4], {{"y", model.predict(x)}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "application_outputs NAME WEIGHTS PIXELS.npz OUTPUTS.npz [CLASSES]\n";
    return 2;
  }
  try {
    return run(std::vector<std::string>(argv, argv + argc));
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
