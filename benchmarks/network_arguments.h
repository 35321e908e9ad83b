// The command line of the programs that measure a network of networks.h.
#pragma once

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "benchmarks/networks.h"

namespace systolic {

struct NetworkArguments {
  std::string network;
  NetworkSizes sizes;  // 0: the network's own
};

inline void add_network(CLI::App& app, NetworkArguments& arguments) {
  app.add_option("network", arguments.network, "which, see benchmarks/networks.json")->required();
  app.add_option("--batch", arguments.sizes.batch, "samples of a step or call");
  app.add_option("--size", arguments.sizes.size, "edge of images, steps, rows of a table");
  app.add_option("--width", arguments.sizes.width, "channels, units or features");
}

// One core of the software TPU, as the system of this program.
inline TPUStrategy one_core() {
  const TPUClusterResolver resolver("v3-8", {.cores = 1});
  initialize_tpu_system(resolver);
  return TPUStrategy(resolver);
}

// The exit code: 2 after an error, which is printed.
template <class Body>
int exit_code_of(const Body& body) {
  try {
    body();
    return 0;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace systolic
