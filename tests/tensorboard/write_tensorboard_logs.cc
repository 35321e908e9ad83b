// A small training that writes all that TensorBoard shows, for check_with_tensorboard.py.
//
//   write_tensorboard_logs FOLDER
//
// After each epoch it prints "epoch LOSS VAL_LOSS MEAN_OF_KERNEL" and waits for a line, so that a
// server can be asked while the run lasts.
#include <iostream>
#include <string>

#include "systolic/nn/initializers/host_random.h"
#include "systolic/systolic.h"

namespace {

using namespace systolic;

void show_own(int epoch) {
  summary::scalar("own/norm", 0.5 * epoch, {.step = epoch});
  summary::text("own/note", str("# epoch ", epoch), {.step = epoch});
  summary::histogram("own/numbers", Literal::of<float>({1, 2, 2, 4, 7}), {.step = epoch});
  summary::image("own/grey", Literal::filled(DType::f32, {2, 4, 5, 1}, 0.5), {.step = epoch});
}

double mean_of(const Literal& values) {
  double sum = 0;
  for (const float value : values.data<float>()) sum += value;
  return sum / static_cast<double>(values.size());
}

int train(const std::string& folder) {
  set_seed(3);
  Model model =
      Sequential({Input{.shape = {6}}, Dense{.units = 8, .activation = "relu"}, Dense{.units = 3}},
                 {.name = "small"});
  model.compile({.optimizer = Adam{.learning_rate = 0.02},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"accuracy"}});
  const Literal x = host_normal({64, 6}, 0, 1, 1);
  std::vector<int32_t> classes(64);
  for (size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<int32_t>(i % 3);
  const Literal y = Literal::from(classes, Shape{64});
  const CallbackPtr own = LambdaCallback({.on_epoch_end = [&](int epoch, const Logs& logs) {
    show_own(epoch);
    std::cout << epoch << " " << log_value(logs, "loss") << " " << log_value(logs, "val_loss")
              << " " << mean_of(model.get_weights().front()) << std::endl;
    std::string line;
    std::getline(std::cin, line);
  }});
  model.fit(x, y,
            {.epochs = 3,
             .batch_size = 16,
             .validation_data = {x, y},
             .callbacks = {TensorBoard{.log_dir = folder,
                                       .update_freq = 2,
                                       .histogram_freq = 1,
                                       .write_steps_per_second = true,
                                       .hparams = {{"learning_rate", 0.02},
                                                   {"optimizer", std::string("adam")},
                                                   {"shuffled", true}}},
                           own},
             .verbose = 0});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return train(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
