// What saving and loading take of the host's memory besides the model's own: for
// check_memory.py.
//
//   large_model build - MEGABYTES LIMIT       makes a model of that size, as its initializers say
//   large_model save FILE MEGABYTES LIMIT     makes it and saves it, the model or its weights
//   large_model load FILE MEGABYTES LIMIT     loads what was saved
//
// Memory may grow by LIMIT megabytes beyond what the model takes (RLIMIT_DATA: what the process
// maps for itself, without files): an error where that is too little. The software TPU's memory is
// the host's, so that the model's own is a part of it.
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

namespace {

constexpr double megabyte = 1 << 20;
constexpr int64_t layers = 64;

Model large_model(double megabytes) {
  const auto units = static_cast<int64_t>(std::sqrt(megabytes * megabyte / 4 / layers));
  std::vector<Layer> chain{Input{.shape = {units}}};
  for (int64_t i = 0; i < layers; ++i)
    chain.push_back(Dense{.units = units, .use_bias = false, .name = str("d", i)});
  return Sequential(chain);
}

// Weights are made when they are first asked for. One at a time is copied.
void make_weights(const Model& model) {
  for (const Variable& weight : model.weights())
    if (weight.literal().size() == 0) std::cerr << "no numbers\n";
}

double mapped_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) return std::stod(line.substr(7)) / 1024;
  }
  return 0;
}

void limit_growth(double megabytes) {
  const auto bytes = static_cast<rlim_t>((mapped_megabytes() + megabytes) * megabyte);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) std::cerr << "no limit\n";
}

bool is_whole_model(const std::string& file) {
  return file.ends_with(".keras") || (file.ends_with(".h5") && !file.ends_with(".weights.h5")) ||
         file.find('.') == std::string::npos;
}

void save(const Model& model, const std::string& file) {
  is_whole_model(file) ? model.save(file) : model.save_weights(file);
}

void run(const std::string& what, const std::string& file, double megabytes, double limit) {
  make_weights(large_model(1));  // threads and pools are there
  if (what == "save") {
    const Model model = large_model(megabytes);
    make_weights(model);
    limit_growth(limit);
    save(model, file);
    return;
  }
  limit_growth(megabytes + limit);
  if (what == "build") return make_weights(large_model(megabytes));
  if (is_whole_model(file)) return make_weights(load_model(file));
  Model model = large_model(megabytes);
  model.load_weights(file);
  make_weights(model);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: large_model build|save|load FILE MEGABYTES LIMIT\n";
    return 2;
  }
  try {
    run(arguments[1], arguments[2], std::stod(arguments[3]), std::stod(arguments[4]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
