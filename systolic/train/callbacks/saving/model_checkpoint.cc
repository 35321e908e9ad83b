#include "systolic/train/callbacks/saving/model_checkpoint.h"

#include <optional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/train/callbacks/checks/needs_validation.h"
#include "systolic/train/callbacks/saving/path_pattern.h"
#include "systolic/train/callbacks/saving/step_count.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/weights/training_file.h"
#include "systolic/train/weights/weights_form.h"

namespace systolic::inline v0 {
namespace {

class Saver : public Callback {
 public:
  Saver(ModelCheckpoint options, internal::SaveModel save_model)
      : options_(std::move(options)),
        save_model_(save_model),
        path_(options_.filepath, options_.location),
        monitor_(options_.monitor, options_.mode),
        steps_(options_.save_freq, options_.location) {
    if (options_.filepath.empty()) {
      raise<InvalidArgument>({.what = "a ModelCheckpoint without a filepath",
                              .hint = "ModelCheckpoint{.filepath = \"{epoch:02d}.safetensors\"}",
                              .location = options_.location});
    }
  }

  void before_fit(Model& model, FitOptions& options) override {
    const std::string name = path_.name_with("val_");
    check_is_validated(str("ModelCheckpoint names files by {", name, "}"), name, model, options,
                       steps_.counts(), options_.location);
  }
  void on_train_begin() override {
    if (options_.save_best_only) monitor_.begin("ModelCheckpoint", model(), options_.location);
  }
  bool wants_batch_logs() const override {
    return steps_.counts() && (options_.save_best_only || path_.names_besides({"epoch", "batch"}));
  }
  void on_epoch_begin(int epoch) override { epoch_ = epoch; }
  void on_train_batch_begin(int64_t step) override { steps_.begin(step); }
  void on_train_batch_end(int64_t step, const Logs& logs) override {
    if (!steps_.at(step)) return;
    save(logs, {{"epoch", epoch_ + 1}, {"batch", static_cast<double>(step + 1)}});
  }
  void on_epoch_end(int epoch, const Logs& logs) override {
    if (!steps_.counts()) save(logs, {{"epoch", epoch + 1}});
  }

  bool only_writes() const override { return true; }

  Example save_state() const override {
    Example state{{"steps", steps_.since()}};
    if (best_) state.set("best", Literal::scalar(*best_));
    return state;
  }
  void load_state(const Example& state) override {
    steps_.set_since(state["steps"].item<int64_t>());
    best_.reset();
    if (const Literal* best = state.find("best")) best_ = best->item<double>();
  }
  std::string state_name() const override { return "ModelCheckpoint"; }

 private:
  void save(const Logs& logs, Logs values) {
    if (options_.save_best_only && !is_best(logs)) return;
    values.insert(values.end(), logs.begin(), logs.end());
    const std::string path = path_.filled(values);
    io::make_folder_of(path, options_.location);
    if (!options_.save_weights_only && is_whole_model(path)) {
      save_model_(model(), path, options_.location);
    } else if (!options_.save_weights_only && weights_form_of(path).ending.empty()) {
      save_training(model(), path, {.epoch = epoch_}, options_.location);
    } else {
      model().save_weights(path, {}, options_.location);
    }
    events::Line line;
    if (options_.verbose > 0) line.text = str("Epoch ", epoch_ + 1, ": saved the model to ", path);
    publish(events::CheckpointWritten{.path = path, .line = std::move(line)});
  }

  static bool is_whole_model(const std::string& path) {
    return path.ends_with(".keras") || (path.ends_with(".h5") && !path.ends_with(".weights.h5"));
  }

  bool is_best(const Logs& logs) {
    const std::optional<double> value = monitor_.value("ModelCheckpoint", epoch_, logs);
    if (!value) return true;
    if (!best_) best_ = options_.initial_value_threshold.value_or(monitor_.worst());
    if (!monitor_.beats(*value, *best_)) return false;
    best_ = *value;
    return true;
  }

  ModelCheckpoint options_;
  internal::SaveModel save_model_;
  PathPattern path_;
  WatchedValue monitor_;
  StepCount steps_;
  std::optional<double> best_;  // nothing before the first save
  int epoch_ = 0;
};

}  // namespace

CallbackPtr internal::model_checkpoint(const ModelCheckpoint& options, SaveModel save_model) {
  return std::make_shared<Saver>(options, save_model);
}

}  // namespace systolic::inline v0
