// Loading a model of 500 MB from a file that the system has in its page cache.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <vector>

#include "systolic/base/process/process.h"
#include "systolic/base/stopwatch.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string form = "safetensors", folder = fs::temp_directory_path();
  double megabytes = 500;
  int runs = 5;
};

Model model_of(double megabytes) {
  constexpr int64_t layers = 32;
  constexpr double bytes_of_number = 4, megabyte = 1e6;
  const auto units =
      static_cast<int64_t>(std::sqrt(megabytes * megabyte / bytes_of_number / layers));
  std::vector<Layer> chain{Input{.shape = {units}}};
  for (int64_t i = 0; i < layers; ++i) chain.push_back(Dense{.units = units, .use_bias = false});
  return Sequential(chain);
}

double seconds_to_load(Model& model, const std::string& path) {
  const Stopwatch watch;
  if (path.ends_with(".keras")) {
    model = load_model(path);
  } else {
    model.load_weights(path);
  }
  return watch.milliseconds() / 1000;
}

void run(const Arguments& arguments) {
  const std::string path = str(arguments.folder, "/load_weights_", getpid(), ".", arguments.form);
  Model model = model_of(arguments.megabytes);
  path.ends_with(".keras") ? model.save(path) : model.save_weights(path);
  seconds_to_load(model, path);  // the memory is there, and the file in the page cache
  std::vector<double> seconds;
  for (int i = 0; i < arguments.runs; ++i) seconds.push_back(seconds_to_load(model, path));
  const auto bytes = static_cast<double>(fs::file_size(path));
  fs::remove(path);
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  std::cout << R"({"work": "load )" << arguments.form << R"(", "bytes": )" << bytes
            << R"(, "seconds": )" << *middle << R"(, "gigabytes_per_second": )"
            << bytes / *middle / 1e9 << R"(, "peak_memory_bytes": )" << peak_memory_bytes()
            << "}\n";
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures how fast a file of weights, or a model, is loaded.");
  systolic::Arguments arguments;
  app.add_option("--form", arguments.form, "safetensors, npz, keras, h5 or weights.h5")
      ->capture_default_str();
  app.add_option("--folder", arguments.folder, "where the file lies")->capture_default_str();
  app.add_option("--megabytes", arguments.megabytes)->capture_default_str();
  app.add_option("--runs", arguments.runs, "of which the median counts")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
