// Calls of predict_on_batch on a network of networks.h, one after another, on one core: what a
// server that answers single requests waits for.
//
//   network_predict mobilenet_v2 [--batch 1] [--size N] [--width N] [--calls 50] [--warm-up 5]
#include <algorithm>
#include <chrono>
#include <vector>

#include "benchmarks/measure.h"
#include "benchmarks/network_arguments.h"

namespace systolic {
namespace {

struct Arguments : NetworkArguments {
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
  const Model model = one_core().scope([&] { return chosen.build(sizes); });
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
  arguments.sizes.batch = 1;
  systolic::add_network(app, arguments);
  app.add_option("--calls", arguments.calls, "calls that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "calls before them")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return systolic::exit_code_of([&] { systolic::run(arguments); });
}
