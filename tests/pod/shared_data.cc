// shared_data FOLDER POLICY RATE [shuffle] [save]: fits y = w x + b by gradient descent to the
// lines "x y" of the files FOLDER/*.txt, 2 epochs in batches of 8, shared as POLICY says (auto,
// file, data, off). Process 0 writes the losses to FOLDER/result, one a line: those of the steps,
// then those of the epochs.
#include <iostream>
#include <sstream>
#include <string>

#include "systolic/systolic.h"

namespace systolic {
namespace {

data::AutoShardPolicy policy_of(const std::string& name) {
  if (name == "file") return data::AutoShardPolicy::file;
  if (name == "data") return data::AutoShardPolicy::data;
  return name == "off" ? data::AutoShardPolicy::off : data::AutoShardPolicy::automatic;
}

std::pair<float, float> point_of(const std::string& line) {
  std::istringstream text(line);
  std::pair<float, float> point;
  text >> point.first >> point.second;
  return point;
}

data::Dataset points_of(const std::string& folder) {
  return data::text_lines(io::glob(folder + "/*.txt")).map([](const std::string& line) {
    const auto [x, y] = point_of(line);
    return std::pair(Literal::of<float>({x}), Literal::of<float>({y}));
  });
}

void train(const std::string& folder, const std::string& policy, double rate, bool shuffles,
           bool saves) {
  const TPUStrategy strategy(TPUClusterResolver("local", {.cores = 2}));
  Model model = strategy.scope([] {
    return Sequential({Input{.shape = {1}}, Dense{.units = 1, .kernel_initializer = "zeros"}});
  });
  model.compile({.optimizer = SGD{.learning_rate = rate}, .loss = "mse"});
  data::Options options;
  options.experimental_distribute.auto_shard_policy = policy_of(policy);
  data::Dataset points = points_of(folder);
  if (shuffles) points = points.shuffle(1000);
  std::vector<CallbackPtr> callbacks;
  if (saves) callbacks.push_back(BackupAndRestore{.backup_dir = folder + "/backup"});
  const History history = model.fit(points.batch(8).with_options(options),
                                    {.epochs = 2, .callbacks = callbacks, .verbose = 2});
  if (process_index() != 0) return;
  std::ostringstream result;
  result.precision(9);
  for (const float loss : history.step_losses) result << loss << "\n";
  for (const double loss : history.history.at("loss")) result << loss << "\n";
  io::write_file(folder + "/result", result.str());
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) try {
  if (argc < 4) return 2;
  const auto has = [&](const std::string& word) {
    for (int i = 4; i < argc; ++i) {
      if (argv[i] == word) return true;
    }
    return false;
  };
  systolic::train(argv[1], argv[2], std::stod(argv[3]), has("shuffle"), has("save"));
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
