// Keeps what fit returns. Internal to train.
#pragma once

#include <utility>

#include "systolic/events/event_sink.h"
#include "systolic/train/options/history.h"

namespace systolic::inline v0 {

class HistorySink : public EventSink {
 public:
  void handle(const events::Moment& /*at*/, const Event& event) override {
    std::visit([this](const auto& one) { on(one); }, event);
  }
  bool in_every_process() const override { return true; }
  History take() { return std::move(history_); }

 private:
  template <class Other>
  void on(const Other& /*event*/) {}

  void on(const events::StepEnd& end) {
    history_.step_milliseconds.push_back(end.milliseconds);
    history_.samples += end.samples;
  }
  void on(const events::LossKnown& known) { history_.step_losses.push_back(known.loss); }
  void on(const events::EpochEnd& end) {
    if (end.cut_short) return;
    history_.epoch.push_back(end.epoch);
    for (const auto& [name, value] : end.logs) history_.history[name].push_back(value);
  }
  void on(const events::RunEnd& end) {
    history_.compile_milliseconds = end.compile_milliseconds;
    history_.input_wait_seconds = end.input_wait_seconds;
    history_.input_wait_share = end.input_wait_share;
  }

  History history_;
};

}  // namespace systolic::inline v0
