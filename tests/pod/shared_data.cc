// shared_data FOLDER POLICY RATE [WORD...]: fits y = w x + b by gradient descent to the lines "x y"
// of the files FOLDER/*.txt, 2 epochs in batches of 8, shared as POLICY says (auto, file, data,
// off). Process 0 writes the losses to FOLDER/result, one a line: those of the steps, then those of
// the epochs; and to FOLDER/end how many steps there were, and w and b. Words:
//
//   shuffle, seeded           the lines are shuffled, with another seed in each run or one
//   save                      by BackupAndRestore
//   steps, epochs             by TrainingCheckpoint, after every second step or each epoch; the
//   next
//                             run goes on from there
//   end=SIGNAL:PROCESS:STEP   the process sends itself the signal after so many of its steps
#include <csignal>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

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

struct Ending {
  int signal = 0, process = -1, steps = 0;
};

// Ends its process, or asks it to end, after so many steps.
struct Ends : Callback {
  explicit Ends(const Ending& given) : ending(given) {}
  void on_train_batch_end(int64_t, const Logs&) override {
    if (++steps == ending.steps && process_index() == ending.process) std::raise(ending.signal);
  }
  const Ending ending;
  int steps = 0;
};

struct Words {
  bool shuffles = false, is_seeded = false, backs_up = false, in_steps = false, by_epochs = false;
  Ending ending;
};

std::vector<CallbackPtr> callbacks_of(const Words& words, const std::string& folder) {
  std::vector<CallbackPtr> callbacks;
  const std::string backup = folder + "/backup";
  if (words.backs_up) callbacks.push_back(BackupAndRestore{.backup_dir = backup});
  if (words.by_epochs) callbacks.push_back(TrainingCheckpoint{.directory = backup});
  if (words.in_steps) callbacks.push_back(TrainingCheckpoint{.directory = backup, .save_freq = 2});
  if (words.ending.signal != 0) callbacks.push_back(std::make_shared<Ends>(words.ending));
  return callbacks;
}

void write_result(const std::string& folder, const Model& model, const History& history) {
  std::ostringstream result, end;
  result.precision(9);
  end.precision(9);
  for (const float loss : history.step_losses) result << loss << "\n";
  for (const double loss : history.history.at("loss")) result << loss << "\n";
  io::write_file(folder + "/result", result.str());
  end << history.step_losses.size() << "\n";
  for (const Literal& weight : model.get_weights()) end << weight.data<float>()[0] << "\n";
  io::write_file(folder + "/end", end.str());
}

void train(const std::string& folder, const std::string& policy, double rate, const Words& words) {
  const TPUStrategy strategy(TPUClusterResolver("local", {.cores = 2}));
  Model model = strategy.scope([] {
    return Sequential({Input{.shape = {1}}, Dense{.units = 1, .kernel_initializer = "zeros"}});
  });
  model.compile({.optimizer = SGD{.learning_rate = rate}, .loss = "mse"});
  data::Options options;
  options.experimental_distribute.auto_shard_policy = policy_of(policy);
  data::Dataset points = points_of(folder);
  if (words.shuffles) points = points.shuffle(1000);
  if (words.is_seeded) points = points.shuffle(7, {.seed = 5});
  const History history = model.fit(points.batch(8).with_options(options),
                                    {.epochs = 2,
                                     .callbacks = callbacks_of(words, folder),
                                     .resume = words.in_steps || words.by_epochs ? "auto" : "",
                                     .verbose = 2});
  if (process_index() == 0) write_result(folder, model, history);
}

// "9:1:5"
Ending ending_of(const std::string& text) {
  Ending ending;
  std::istringstream numbers(text);
  char colon = 0;
  numbers >> ending.signal >> colon >> ending.process >> colon >> ending.steps;
  return ending;
}

Words words_of(int argc, char** argv) {
  Words words;
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "shuffle") words.shuffles = true;
    if (word == "seeded") words.is_seeded = true;
    if (word == "save") words.backs_up = true;
    if (word == "steps") words.in_steps = true;
    if (word == "epochs") words.by_epochs = true;
    if (word.starts_with("end=")) words.ending = ending_of(word.substr(4));
  }
  return words;
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) try {
  if (argc < 4) return 2;
  systolic::train(argv[1], argv[2], std::stod(argv[3]), systolic::words_of(argc, argv));
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
