#include "systolic/train/callbacks/model_checkpoint.h"

#include <optional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/train/callbacks/path_pattern.h"
#include "systolic/train/callbacks/step_count.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/saving/training_file.h"
#include "systolic/train/step/step_logs.h"

namespace systolic::inline v0 {
namespace {

class Saver : public Callback {
 public:
  explicit Saver(ModelCheckpoint options)
      : options_(std::move(options)),
        path_(options_.filepath, options_.location),
        monitor_(options_.monitor, options_.mode),
        steps_(options_.save_freq, options_.location) {
    if (options_.filepath.empty()) {
      raise<InvalidArgument>({.what = "a ModelCheckpoint without a filepath",
                              .hint = "ModelCheckpoint{.filepath = \"{epoch:02d}.safetensors\"}",
                              .location = options_.location});
    }
  }

  // What only a validation logs would be missed at the end of the first epoch, which may be hours.
  void before_fit(Model& model, FitOptions& options) override {
    const std::string missing = path_.name_with("val_");
    if (missing.empty() || is_logged(*model.state(), missing)) return;  // a metric of that name
    const auto fail = [&](std::string_view why, std::string_view wanted) {
      raise<InvalidArgument>(
          {.what = str("ModelCheckpoint names files by {", missing, "}, and ", why),
           .wanted = std::string(wanted),
           .location = options_.location});
    };
    if (!options.validation_data && options.validation_split <= 0)
      fail("fit has nothing to validate with", "validation_data, or validation_split with arrays");
    if (steps_.counts()) fail("saves between validations", "a name without it, or no .save_freq");
    if (options.validation_freq > 1)
      fail(str("fit validates only every ", options.validation_freq, " epochs"),
           "a name without it, or .validation_freq = 1");
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
    if (options_.save_weights_only) {
      io::make_folder_of(path, options_.location);
      model().save_weights(path, options_.location);
    } else {
      save_training(model(), path, {.epoch = epoch_}, options_.location);
    }
    events::Line line;
    if (options_.verbose > 0) line.text = str("Epoch ", epoch_ + 1, ": saved the model to ", path);
    publish(events::CheckpointWritten{.path = path, .line = std::move(line)});
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
  PathPattern path_;
  Monitor monitor_;
  StepCount steps_;
  std::optional<double> best_;  // nothing before the first save
  int epoch_ = 0;
};

}  // namespace

ModelCheckpoint::operator CallbackPtr() const { return std::make_shared<Saver>(*this); }

}  // namespace systolic::inline v0
