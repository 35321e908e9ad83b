// How long a StableHLO module of 1 MB takes to read, check and write:
//
//   ninja -C build/release parse_stablehlo && build/release/bin/parse_stablehlo
//   {"bytes": 1048776, "parse_ms": 12.9, "verify_ms": 2.8, "generic_ms": 13.6, "pretty_ms": 8.5}
//
// The best of 40 runs on one thread.
#include <algorithm>
#include <iostream>
#include <string>

#include "systolic/base/stopwatch.h"
#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/verify/verify.h"

namespace {

using systolic::str;
namespace stablehlo = systolic::stablehlo;

// A chain of sums and matrix products, one in three.
std::string module_text(size_t bytes) {
  const std::string type = "tensor<16x128xf32>";
  std::string text = str("module {\n  func.func @main(%arg0: ", type,
                         ", %arg1: tensor<128x128xf32>) -> ", type, " {\n"),
              last = "%arg0";
  for (int n = 0; text.size() < bytes; ++n) {
    text += n % 3 != 0 ? str("    %", n, " = stablehlo.add ", last, ", %arg0 : ", type, "\n")
                       : str("    %", n, " = stablehlo.dot_general ", last,
                             ", %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, "
                             "DEFAULT] : (",
                             type, ", tensor<128x128xf32>) -> ", type, "\n");
    last = str("%", n);
  }
  return str(text, "    return ", last, " : ", type, "\n  }\n}\n");
}

template <class Body>
double best_milliseconds(const Body& body) {
  double best = 1e9;
  for (int run = 0; run < 40; ++run) {
    const systolic::Stopwatch watch;
    body();
    best = std::min(best, watch.milliseconds());
  }
  return best;
}

}  // namespace

int main() {
  const std::string text = module_text(1 << 20);
  const stablehlo::Program program = stablehlo::parse(text);
  size_t written = 0;
  const double parse = best_milliseconds([&] { stablehlo::parse(text); });
  const double verify = best_milliseconds([&] { stablehlo::verify(program); });
  const double generic =
      best_milliseconds([&] { written += stablehlo::program_text(program).size(); });
  const double pretty = best_milliseconds(
      [&] { written += stablehlo::program_text(program, {.pretty = true}).size(); });
  std::cout << str("{\"bytes\": ", text.size(), ", \"parse_ms\": ", parse,
                   ", \"verify_ms\": ", verify, ", \"generic_ms\": ", generic,
                   ", \"pretty_ms\": ", pretty, "}\n");
  return written == 0;
}
