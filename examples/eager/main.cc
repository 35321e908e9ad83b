// Eager use on TPU cores, as the guide "Use TPUs" begins: devices, a matmul on one core, the same
// on all of them.
#include <CLI/CLI.hpp>
#include <iostream>

#include "examples/common/command_line.h"
#include "systolic/systolic.h"

using namespace systolic;

namespace {

int run(int64_t steps) {
  TPUClusterResolver resolver("");
  experimental_connect_to_cluster(resolver);
  initialize_tpu_system(resolver);
  std::cout << "All devices:\n";
  for (const LogicalDevice& device : list_logical_devices("TPU"))
    std::cout << "  " << device << "\n";

  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  const Tensor c = device("/TPU:0", [&] { return matmul(a, b); });
  std::cout << "c device: " << c.device() << "\n" << c << "\n";

  TPUStrategy strategy(resolver);
  auto matmul_fn = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  PerReplica products;
  {
    TrainingRun run({.name = "eager", .steps = steps});  // what --monitor and --tensorboard show
    run.begin_epoch(0);
    for (int64_t step = 0; step < steps; ++step) {
      products = strategy.run(matmul_fn, a, b);
      run.end_step();
    }
    run.end_epoch({{"product", sum(c).item<double>()}});
  }
  std::cout << products << "\n";
  const bool right = c.literal() == Literal::of<float>({{22, 28}, {49, 64}});
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Devices and a matmul on TPU cores", "eager");
  int64_t steps = 1;
  app.add_option("--smoke", steps, "how often all cores run")
      ->capture_default_str()
      ->check(examples::at_least(1));
  return examples::run_example(app, argc, argv, [&] { return run(steps); });
}
