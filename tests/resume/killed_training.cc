// killed_training PIPELINE FOLDER [DIE_AT]: trains a small model and saves all that it needs to go
// on to FOLDER/state after every third step and every epoch; where there is such a file, it goes on
// from there. Appends each step's number and the checksum of all variables after it to
// FOLDER/steps, and prints the numbers and losses of its own steps at the end. Before the first
// step it saves to FOLDER/start, for another run of the same random numbers.
//
// With DIE_AT it kills itself (SIGKILL) when this many things have happened: a call of a function
// of the pipeline's, in whatever thread; a training step; a moment before, amid or after a save.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/systolic.h"
#include "tests/resume/training_pipelines.h"

namespace systolic {
namespace {

constexpr int64_t epochs = 3, steps_per_save = 3;

std::atomic<int64_t> die_at{-1};

Model make_model() {
  set_seed(3);
  Model model = Sequential({Input{.shape = {row_width}}, Dense{.units = 8, .activation = "relu"},
                            Dropout{.rate = 0.3}, BatchNormalization{}, Dense{.units = 2}});
  model.compile({.optimizer = Adam{.learning_rate = 0.01}, .loss = MeanSquaredError{}});
  model.optimizer().build(model.trainable_variables());  // else the first step does
  return model;
}

struct Place {
  int64_t epoch = 0, steps = 0;
  std::string input;
};

std::vector<Variable> variables_of(const Model& model) {
  std::vector<Variable> all = model.weights();
  for (const Variable& slot : model.optimizer().variables()) all.push_back(slot);
  all.push_back(model.random_state());
  return all;
}

void save(const std::string& path, const Model& model, const Place& place) {
  something_happens();
  Example all;
  Literal input(DType::u8, {static_cast<int64_t>(place.input.size())});
  std::copy(place.input.begin(), place.input.end(), input.mutable_data<uint8_t>().begin());
  all.set("input", input);
  const std::vector<Variable> variables = variables_of(model);
  for (size_t i = 0; i < variables.size(); ++i)
    all.set("variable " + std::to_string(i), variables[i].literal());
  something_happens();
  io::write_safetensors(
      path, all, {{"epoch", std::to_string(place.epoch)}, {"steps", std::to_string(place.steps)}});
  something_happens();
}

Place load(const std::string& path, const Model& model) {
  if (!io::exists(path)) return {};
  const io::Safetensors saved = io::read_safetensors(path);
  const std::vector<Variable> variables = variables_of(model);
  for (size_t i = 0; i < variables.size(); ++i)
    variables[i].set(saved.tensors["variable " + std::to_string(i)]);
  const auto input = saved.tensors["input"].data<uint8_t>();
  return {.epoch = std::stoll(saved.metadata.at("epoch")),
          .steps = std::stoll(saved.metadata.at("steps")),
          .input = std::string(input.begin(), input.end())};
}

class Saver : public Callback {
 public:
  Saver(std::string folder, Place place) : folder_(std::move(folder)), place_(std::move(place)) {}
  bool wants_input_state() const override { return true; }
  bool wants_batch_logs() const override { return true; }
  void on_train_begin() override {
    if (place_.steps == 0) save_here("/start");
  }
  void on_epoch_begin(int epoch) override { place_.epoch = epoch; }
  void on_train_batch_end(int64_t, const Logs&) override {
    ++place_.steps;
    something_happens();
    write_line();
    if (place_.steps % steps_per_save == 0) save_here("/state");
  }
  void on_epoch_end(int epoch, const Logs&) override {
    place_.epoch = epoch + 1;
    save_here("/state");
  }

 private:
  void save_here(const char* name) {
    place_.input = model().input_state();
    save(folder_ + name, model(), place_);
  }
  // In one write: a line is there or not.
  void write_line() const {
    uint32_t checksum = 0;
    for (const Variable& variable : variables_of(model())) {
      const Literal value = variable.literal();
      checksum = io::crc32c(value.raw(), value.byte_size(), checksum);
    }
    const std::string line = std::to_string(place_.steps) + " " + std::to_string(checksum) + "\n";
    const int file = ::open((folder_ + "/steps").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      std::abort();
    ::close(file);
  }

  std::string folder_;
  Place place_;
};

void train(const std::string& pipeline, const std::string& folder) {
  write_rows(folder);
  const TrainingPipeline& chosen = training_pipelines().at(pipeline);
  Model model = make_model();
  const Place place = load(folder + "/state", model);
  const History history =
      model.fit(chosen.make(folder), {.epochs = epochs,
                                      .steps_per_epoch = chosen.steps_per_epoch,
                                      .callbacks = {std::make_shared<Saver>(folder, place)},
                                      .initial_epoch = static_cast<int>(place.epoch),
                                      .input_state = place.input,
                                      .verbose = 0});
  for (size_t i = 0; i < history.step_losses.size(); ++i) {
    std::printf("%zu %a\n", static_cast<size_t>(place.steps) + i + 1,
                static_cast<double>(history.step_losses[i]));
  }
}

int run(int argc, char** argv) {
  if (argc < 3) {
    for (const auto& [name, pipeline] : training_pipelines()) std::cout << name << "\n";
    return 0;
  }
  if (argc > 3) die_at = std::stoll(argv[3]);
  train(argv[1], argv[2]);
  return 0;
}

}  // namespace

void something_happens() {
  if (--die_at == 0) ::kill(::getpid(), SIGKILL);
}

}  // namespace systolic

int main(int argc, char** argv) try {
  return systolic::run(argc, argv);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
