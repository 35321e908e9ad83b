// Steps of Model::fit on a network of networks.h, its batch in memory, on one core.
//
//   network_step lstm [--batch N] [--size N] [--width N] [--steps 5] [--warm-up 2]

#include "benchmarks/measure.h"
#include "benchmarks/network_arguments.h"

namespace systolic {
namespace {

struct Arguments : NetworkArguments {
  int64_t steps = 5;
  int64_t warm_up = 2;
};

void run(const Arguments& arguments) {
  const MeasuredNetwork& chosen = network(arguments.network);
  const NetworkSizes sizes = sizes_of(arguments.sizes, chosen);
  Model model = one_core().scope([&] {
    Model made = chosen.build(sizes);
    made.compile({.optimizer = chosen.optimizer(),
                  .loss = SparseCategoricalCrossentropy{.from_logits = true}});
    return made;
  });
  const auto batches = data::from_tensors(chosen.batch(sizes)).repeat();
  measure_fit(arguments.network, model, batches, arguments.warm_up, arguments.steps);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures steps of fit on a network.");
  systolic::Arguments arguments;
  systolic::add_network(app, arguments);
  app.add_option("--steps", arguments.steps, "steps that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "steps before them")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return systolic::exit_code_of([&] { systolic::run(arguments); });
}
