// Steps of fit while a checkpoint of 500 MB is written in the background, against the same steps
// without.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <vector>

#include "benchmarks/measure.h"
#include "systolic/base/process/process.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string folder = fs::temp_directory_path();
  double megabytes = 500;
  int64_t steps = 60, every = 20, batch = 64, warm_up = 5;
};

constexpr int64_t layers = 32;

// Plain SGD has no state of its own: the checkpoint is as large as the weights.
Model model_of(int64_t units) {
  std::vector<Layer> chain{Input{.shape = {units}}};
  for (int64_t i = 0; i < layers; ++i) chain.push_back(Dense{.units = units, .use_bias = false});
  Model model = Sequential(chain);
  model.compile({.optimizer = SGD{.learning_rate = 1e-6}, .loss = "mse"});
  return model;
}

struct Measured {
  double step_ms = 0, slowest_ms = 0;
};

// The steps from the first checkpoint on. One that follows a checkpoint copies the weights, and is
// the slowest: that copy counts apart.
Measured measure(Model& model, const Arguments& arguments, int64_t units, bool saves) {
  const Literal x = Literal::filled(DType::f32, {arguments.batch, units}, 0.01);
  const auto batches =
      data::from_tensor_slices(std::pair(x, x)).batch(arguments.batch).cache().repeat();
  const std::string folder = str(arguments.folder, "/checkpoint_step_", getpid());
  std::vector<CallbackPtr> callbacks;
  if (saves) {
    callbacks.push_back(
        TrainingCheckpoint{.directory = folder, .save_freq = arguments.every, .max_to_keep = 1});
  }
  const int64_t steps = arguments.warm_up + arguments.steps;
  const History history =
      model.fit(batches, {.steps_per_epoch = steps, .callbacks = callbacks, .verbose = 0});
  fs::remove_all(folder);
  const auto& all = history.step_milliseconds;
  const std::vector<double> counted(all.begin() + (saves ? arguments.every : arguments.warm_up),
                                    all.end());
  return {median(counted), *std::max_element(counted.begin(), counted.end())};
}

void run(const Arguments& arguments) {
  constexpr double bytes_of_number = 4, megabyte = 1e6;
  const auto units =
      static_cast<int64_t>(std::sqrt(arguments.megabytes * megabyte / bytes_of_number / layers));
  Model model = model_of(units);
  const Measured without = measure(model, arguments, units, false);
  const auto before = static_cast<double>(peak_memory_bytes());
  const Measured with = measure(model, arguments, units, true);
  const double grown = static_cast<double>(peak_memory_bytes()) - before;
  const double weights = bytes_of_number * static_cast<double>(layers * units * units);
  std::cout << R"({"work": "checkpoint", "ms_per_step": )" << with.step_ms
            << R"(, "ms_per_step_without": )" << without.step_ms << R"(, "step_ratio": )"
            << with.step_ms / without.step_ms << R"(, "copy_ms": )"
            << with.slowest_ms - with.step_ms << R"(, "memory_copies": )" << grown / weights
            << "}\n";
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures steps of fit while checkpoints are written.");
  systolic::Arguments arguments;
  app.add_option("--folder", arguments.folder, "where they are written")->capture_default_str();
  app.add_option("--megabytes", arguments.megabytes)->capture_default_str();
  app.add_option("--steps", arguments.steps, "that count")->capture_default_str();
  app.add_option("--every", arguments.every, "steps a checkpoint")->capture_default_str();
  app.add_option("--batch", arguments.batch)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
