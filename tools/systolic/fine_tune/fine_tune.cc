#include "tools/systolic/fine_tune/fine_tune.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/distribute/cluster_resolver.h"
#include "systolic/distribute/strategy.h"
#include "systolic/nn/optimizers/adamw.h"
#include "systolic/nn/optimizers/schedules/polynomial_decay.h"
#include "systolic/nn/optimizers/schedules/warm_up.h"
#include "systolic/trace/ops/random.h"
#include "tools/systolic/commands.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

int64_t batches_of(int64_t samples, int64_t batch) { return (samples + batch - 1) / batch; }

// A number, true or false, or a text.
Config value_of(const std::string& text) {
  int64_t whole = 0;
  double number = 0;
  if (text == "true" || text == "false") return text == "true";
  if (parse_number(text, whole)) return whole;
  if (parse_number(text, number)) return number;
  return text;
}

Config::Map overrides_of(const std::vector<std::string>& entries) {
  Config::Map fields;
  for (const std::string& entry : entries) {
    const size_t at = entry.find('=');
    if (at == std::string::npos || at == 0) {
      raise<WrongUsage>({.what = str("--config-overrides ", entry),
                         .wanted = "NAME=VALUE, a field of config.json"});
    }
    fields.emplace_back(entry.substr(0, at), value_of(entry.substr(at + 1)));
  }
  return fields;
}

PretrainedModel open_model(const FineTuneTask& task, const Settings& settings) {
  PretrainedOptions options = task.model_options();
  options.config = overrides_of(settings.config_overrides);
  return PretrainedModel::from_pretrained(settings.model, task.head(), options, {});
}

// Up over the first steps, where asked for, then down to 0 after the last.
LearningRate learning_rate(const Settings& settings, int64_t steps) {
  const int64_t rises = std::min(settings.warmup_steps, steps - 1);
  const LearningRate after = PolynomialDecay{.initial_learning_rate = settings.learning_rate,
                                             .decay_steps = steps - std::max<int64_t>(rises, 0),
                                             .end_learning_rate = 0};
  if (rises <= 0) return after;
  return WarmUp{.warmup_steps = rises, .after = after};
}

AdamW optimizer(const Settings& settings, int64_t steps) {
  AdamW adam{.learning_rate = learning_rate(settings, steps),
             .epsilon = 1e-8,
             .weight_decay = settings.weight_decay,
             .exclude_from_weight_decay = {"bias", "LayerNorm", "layernorm", "layer_norm", "_norm",
                                           "norm."}};
  if (settings.max_grad_norm > 0) adam.clipping.global_clipnorm = settings.max_grad_norm;
  return adam;
}

void add_speed(Measures& measures, const std::string& split, double seconds, int64_t samples,
               int64_t steps) {
  measures[split + "_runtime"] = seconds;
  measures[split + "_samples_per_second"] = static_cast<double>(samples) / seconds;
  measures[split + "_steps_per_second"] = static_cast<double>(steps) / seconds;
}

// Returns how many epochs it trained.
double train(FineTuneTask& task, PretrainedModel& model, const Settings& settings,
             std::ostream& out) {
  const TrainingRows rows = task.training(model);
  const int64_t of_epoch = batches_of(rows.samples, settings.batch);
  const int64_t steps = settings.max_steps > 0 ? settings.max_steps : settings.epochs * of_epoch;
  model.compile({.optimizer = optimizer(settings, steps)});
  const Stopwatch watch;
  const History history =
      settings.max_steps > 0
          ? model.fit(rows.batches.repeat(), {.steps_per_epoch = steps})
          : model.fit(rows.batches, {.epochs = static_cast<int>(settings.epochs)});
  const double seconds = watch.seconds(),
               epochs = static_cast<double>(steps) / static_cast<double>(of_epoch);
  const std::vector<float>& losses = history.step_losses;
  Measures measures{{"epoch", epochs}, {"train_samples", rows.samples}};
  measures["train_loss"] =
      std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  add_speed(measures, "train", seconds, history.samples, steps);
  model.save_pretrained(settings.output_dir);
  task.save(settings.output_dir);
  write_losses(history, epochs, settings.output_dir);
  print_measures("train", measures, out);
  write_measures("train", measures, settings.output_dir);
  return epochs;
}

void evaluate(FineTuneTask& task, const PretrainedModel& model, const Settings& settings,
              double epochs, std::ostream& out) {
  Stopwatch watch;
  Measures all;
  for (const Evaluated& one : task.evaluate(model)) {
    Measures measures;
    if (epochs > 0) measures["epoch" + one.suffix] = epochs;
    for (const auto& [name, value] : one.measures) measures["eval_" + name + one.suffix] = value;
    measures["eval_samples" + one.suffix] = one.samples;
    Measures speed;
    add_speed(speed, "eval", watch.seconds(), one.samples,
              batches_of(one.samples, settings.eval_batch));
    for (const auto& [name, value] : speed) measures[name + one.suffix] = value;
    print_measures("eval", measures, out);
    all.insert(measures.begin(), measures.end());
    watch = Stopwatch();
  }
  if (!all.empty()) write_measures("eval", all, settings.output_dir);
}

}  // namespace

int fine_tune(FineTuneTask& task, const Settings& settings, std::ostream& out) {
  set_seed(settings.seed);
  const TPUStrategy strategy(TPUClusterResolver("local"));
  PretrainedModel model = strategy.scope([&] { return open_model(task, settings); });
  std::filesystem::create_directories(settings.output_dir);
  const double epochs = task.trains() ? train(task, model, settings, out) : 0;
  evaluate(task, model, settings, epochs, out);
  task.predict(model);
  return 0;
}

}  // namespace tool::fine_tune
