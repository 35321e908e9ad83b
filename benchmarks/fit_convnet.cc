// Steps of Model::fit on the MNIST convnet, batches in memory: what benchmarks/peers/tf_convnet.py
// measures in Keras.
#include <CLI/CLI.hpp>
#include <string>

#include "benchmarks/convnet.h"
#include "benchmarks/measure.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Arguments {
  int filters = 256;
  int64_t batch = 200;
  int64_t steps = 5;
  int64_t warm_up = 2;
  int cores = 8;
  std::string tpu = "v3-8";
  std::string precision = "f32";
};

void run(const Arguments& arguments) {
  const TPUClusterResolver resolver(arguments.tpu, {.cores = arguments.cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  if (arguments.precision == "bf16") set_dtype_policy("mixed_bfloat16");
  Model model = strategy.scope([&] {
    Model made = convnet(arguments.filters);
    made.compile({.optimizer = Adam{},
                  .loss = SparseCategoricalCrossentropy{.from_logits = true},
                  .metrics = {"sparse_categorical_accuracy"}});
    return made;
  });
  const auto batches = data::from_tensors(random_digits({arguments.batch, 28, 28, 1})).repeat();
  measure_fit("convnet" + std::to_string(arguments.filters), model, batches, arguments.warm_up,
              arguments.steps);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures steps of fit on the MNIST convnet.");
  systolic::Arguments arguments;
  app.add_option("--filters", arguments.filters, "filters of both convolutions")
      ->capture_default_str();
  app.add_option("--batch", arguments.batch, "global batch")->capture_default_str();
  app.add_option("--steps", arguments.steps, "steps that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "steps before them")->capture_default_str();
  app.add_option("--cores", arguments.cores, "cores of the TPU to use")->capture_default_str();
  app.add_option("--tpu", arguments.tpu, "kind of TPU")->capture_default_str();
  app.add_option("--precision", arguments.precision, "f32 or bf16")
      ->check(CLI::IsMember({"f32", "bf16"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
