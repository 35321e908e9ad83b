#include "systolic/train/sinks/tensor_board_sink.h"

#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/train/sinks/event_file.h"

namespace systolic::inline v0 {
namespace {

class Board : public EventSink {
 public:
  explicit Board(TensorBoardSinkOptions options) : options_(std::move(options)) {}

  void handle(const events::Moment& at, const Event& event) override {
    std::visit([&](const auto& one) { on(at, one); }, event);
  }

 private:
  template <class Other>
  void on(const events::Moment& /*at*/, const Other& /*event*/) {}

  void on(const events::Moment& at, const events::RunBegin& run) {
    run_ = run;
    batch_rate_from_ = epoch_rate_from_ = at;
    train_ = EventFile(options_.log_dir + "/train", options_.location);
    validation_ = EventFile(options_.log_dir + "/validation", options_.location);
    if (run.kind == events::RunKind::evaluate) return;
    if (!options_.hparams.empty()) {
      train_.add(0, {hparams_begin_value(options_.hparams, options_.log_dir, time_of(at))});
    }
    if (options_.write_graph && run.model_json) add_graph(run.model_json());
  }

  // A model that no JSON can hold has none.
  void add_graph(const std::string& json) {
    if (!json.empty()) train_.add(0, {keras_graph_value(json)});
  }

  void on(const events::Moment& at, const events::EpochBegin& /*begin*/) {
    epoch_rate_from_ = at;  // without a validation before it
  }

  void on(const events::Moment& at, const events::StepEnd& end) {
    const int64_t every = options_.update_freq;
    if (every <= 0 || run_.kind == events::RunKind::evaluate) return;
    if (at.step / every == (at.step - end.steps) / every) return;
    std::vector<std::string> values;
    if (run_.read_logs) {
      for (const auto& [name, number] : run_.read_logs()) {
        values.push_back(scalar_value("batch_" + name, number));
      }
    }
    if (options_.write_steps_per_second) {
      values.push_back(
          scalar_value("batch_steps_per_second", steps_per_second(at, batch_rate_from_)));
    }
    train_.add(at.step, values);
  }

  void on(const events::Moment& at, const events::EvaluationEnd& end) {
    if (run_.kind == events::RunKind::evaluate) return;
    std::vector<std::string> values;
    for (const auto& [name, number] : end.logs) {
      values.push_back(scalar_value(str("evaluation_", name, "_vs_iterations"), number));
    }
    validation_.add(at.step, values);
  }

  void on(const events::Moment& at, const events::EpochEnd& end) {
    if (end.cut_short) return;
    constexpr std::string_view prefix = "val_";
    std::vector<std::string> training, validation;
    for (const auto& [name, number] : end.logs) {
      const bool validates = name.starts_with(prefix);
      const std::string plain = validates ? name.substr(prefix.size()) : name;
      (validates ? validation : training).push_back(scalar_value("epoch_" + plain, number));
    }
    if (run_.read_learning_rate) {
      training.push_back(scalar_value("epoch_learning_rate", run_.read_learning_rate()));
    }
    if (options_.write_steps_per_second) {
      training.push_back(
          scalar_value("epoch_steps_per_second", steps_per_second(at, epoch_rate_from_)));
    }
    train_.add(end.epoch, training);
    validation_.add(end.epoch, validation);
    add_histograms(end.epoch);
  }

  void add_histograms(int epoch) {
    if (options_.histogram_freq <= 0 || epoch % options_.histogram_freq != 0) return;
    if (!run_.read_weights) return;
    std::vector<std::string> values;
    for (const events::NamedValues& weight : run_.read_weights()) {
      values.push_back(histogram_value(weight.name + "/histogram", weight.values));
    }
    train_.add(epoch, values);
  }

  void on(const events::Moment& at, const events::Summary& summary) {
    train_.add(summary.step.value_or(at.step), {summary.value});
  }

  void on(const events::Moment& at, const events::RunEnd& /*end*/) {
    add_end(at, HparamsStatus::success);
  }
  void on(const events::Moment& at, const events::Failure& /*failure*/) {
    add_end(at, HparamsStatus::failure);
  }

  void add_end(const events::Moment& at, HparamsStatus status) {
    const bool shown = !options_.hparams.empty() && run_.kind != events::RunKind::evaluate;
    if (shown) train_.add(0, {hparams_end_value(status, time_of(at))});
    run_ = {};  // holds the model
  }

  // Since this was last asked.
  static double steps_per_second(const events::Moment& at, events::Moment& from) {
    const double seconds = time_of(at) - time_of(from);
    const auto steps = static_cast<double>(at.step - from.step);
    from = at;
    return seconds > 0 ? steps / seconds : 0;
  }

  static double time_of(const events::Moment& at) {
    return std::chrono::duration<double>(at.time.time_since_epoch()).count();
  }

  const TensorBoardSinkOptions options_;
  events::RunBegin run_;
  events::Moment batch_rate_from_, epoch_rate_from_;
  EventFile train_, validation_;
};

}  // namespace

EventSinkPtr tensor_board_sink(TensorBoardSinkOptions options) {
  return std::make_shared<Board>(std::move(options));
}

}  // namespace systolic::inline v0
