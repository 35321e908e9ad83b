#include "systolic/train/callbacks/logging/sink_callback.h"

#include <utility>

#include "systolic/events/event_stream.h"
#include "systolic/train/model/model.h"
#include "systolic/train/state/model_facts.h"

namespace systolic::inline v0 {
namespace {

// Tells another of what programs show of their own, which callbacks do not hear of.
struct SummarySink : EventSink {
  explicit SummarySink(EventSinkPtr sink) : to(std::move(sink)) {}
  void handle(const events::Moment& at, const Event& event) override {
    if (std::holds_alternative<events::Summary>(event)) to->handle(at, event);
  }
  const EventSinkPtr to;
};

class SinkCallback : public Callback {
 public:
  SinkCallback(EventSinkPtr sink, SinkState state)
      : sink_(std::move(sink)), state_(std::move(state)) {}

  void on_train_begin() override {
    trains_ = true;
    begin(events::RunKind::fit);
    if (!failed_) add_to_run(std::make_shared<SummarySink>(sink_));
  }
  void on_train_end(const Logs& logs) override {
    tell(events::RunEnd{.logs = logs});
    trains_ = false;
  }
  void on_epoch_begin(int epoch) override {
    at_.epoch = epoch;
    tell(events::EpochBegin{epoch});
  }
  void on_epoch_end(int epoch, const Logs& logs) override { tell(events::EpochEnd{epoch, logs}); }
  void on_train_batch_begin(int64_t step) override { first_step_ = step; }
  void on_train_batch_end(int64_t step, const Logs&) override {
    const int64_t steps = step - first_step_ + 1;
    at_.step += steps;
    tell(events::StepEnd{.step = step, .steps = steps});
  }
  void on_test_begin() override {
    if (!trains_) begin(events::RunKind::evaluate);
    tell(events::EvaluationBegin{});
  }
  void on_test_batch_end(int64_t step, const Logs&) override {
    tell(events::EvaluationStep{.step = step});
  }
  void on_test_end(const Logs& logs) override { tell(events::EvaluationEnd{.logs = logs}); }

  bool only_writes() const override { return !sink_->in_every_process(); }

  Example save_state() const override { return state_.save ? state_.save() : Example(); }
  void load_state(const Example& state) override {
    if (state_.load) state_.load(state);
  }
  std::string state_name() const override { return state_.name.empty() ? "sink" : state_.name; }

 private:
  void begin(events::RunKind kind) {
    failed_ = false;
    at_ = {};
    const Model known = model();
    tell(events::RunBegin{
        .kind = kind,
        .name = known.name(),
        .epochs = parameters().epochs,
        .steps = parameters().steps,
        .batch_size = parameters().batch_size,
        .cores = known.num_replicas(),
        .verbose = parameters().verbose,
        .read_logs = [known] { return known.current_logs(); },
        .read_learning_rate = [known] { return known.optimizer().learning_rate().item<double>(); },
        .read_weights = [known] { return named_values(known.network()); },
        .model_json = [known] { return model_json(known.network()); }});
  }
  void tell(const Event& event) {
    if (failed_) return;
    at_.time = std::chrono::system_clock::now();
    failed_ = !systolic::tell(*sink_, at_, event);
  }

  EventSinkPtr sink_;
  SinkState state_;
  events::Moment at_;
  int64_t first_step_ = 0;  // of the execution under way
  bool trains_ = false, failed_ = false;
};

}  // namespace

CallbackPtr callback_for(EventSinkPtr sink, SinkState state) {
  return std::make_shared<SinkCallback>(std::move(sink), std::move(state));
}

}  // namespace systolic::inline v0
