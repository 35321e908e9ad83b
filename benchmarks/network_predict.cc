// Calls of predict_on_batch on a network of networks.h, one after another, on one core: what a
// server that answers single requests waits for.
//
//   network_predict mobilenet_v2 [--batch 1] [--size N] [--width N] [--calls 50] [--warm-up 5]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

#include "benchmarks/measure.h"
#include "benchmarks/networks.h"

namespace systolic {
namespace {

struct Arguments {
  std::string network;
  NetworkSizes sizes{.batch = 1};
  int64_t calls = 50;
  int64_t warm_up = 5;
};

double milliseconds_of(const Model& model, const Literal& input) {
  const auto begin = std::chrono::steady_clock::now();
  model.predict_on_batch(input);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  return time.count();
}

void run(const Arguments& arguments) {
  const MeasuredNetwork& chosen = network(arguments.network);
  const NetworkSizes sizes = sizes_of(arguments.sizes, chosen);
  const TPUClusterResolver resolver("v3-8", {.cores = 1});
  initialize_tpu_system(resolver);
  const Model model = TPUStrategy(resolver).scope([&] { return chosen.build(sizes); });
  const Literal input = chosen.batch(sizes).value(0);
  std::vector<double> times;
  for (int64_t call = 0; call < arguments.warm_up + arguments.calls; ++call) {
    const double time = milliseconds_of(model, input);
    if (call >= arguments.warm_up) times.push_back(time);
  }
  print_times(arguments.network, times);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures single predictions of a network.");
  systolic::Arguments arguments;
  app.add_option("network", arguments.network, "which, see benchmarks/networks.cc")->required();
  app.add_option("--batch", arguments.sizes.batch, "samples of a call")->capture_default_str();
  app.add_option("--size", arguments.sizes.size, "edge of images, steps, rows of a table");
  app.add_option("--width", arguments.sizes.width, "channels, units or features");
  app.add_option("--calls", arguments.calls, "calls that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "calls before them")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    systolic::run(arguments);
  } catch (const systolic::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
