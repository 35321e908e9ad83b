#include "systolic/train/sinks/progress_sink.h"

#include <unistd.h>

#include <iostream>
#include <optional>
#include <utility>

#include "systolic/base/terminal.h"
#include "systolic/train/sinks/progress_bar.h"

namespace systolic::inline v0 {
namespace {

// Where a bar is drawn.
struct ProgressScreen {
  std::ostream* out;
  bool terminal = false;
  int stream = STDOUT_FILENO;  // which is asked for its width
};

class Progress : public EventSink {
 public:
  Progress(ProgressScreen fit, ProgressScreen evaluate) : fit_(fit), evaluate_(evaluate) {}

  void handle(const events::Moment& /*at*/, const Event& event) override {
    std::visit([this](const auto& one) { on(one); }, event);
  }

 private:
  template <class Other>
  void on(const Other& /*event*/) {}

  void on(const events::RunBegin& run) { run_ = run; }
  void on(const events::EpochBegin& begin) {
    *fit_.out << "Epoch " << begin.epoch + 1 << "/" << run_.epochs << "\n" << std::flush;
    start();
  }
  void on(const events::StepEnd& end) { show(end.step); }
  void on(const events::EpochEnd& end) { finish(end.logs); }
  // An epoch that was cut short may be open.
  void on(const events::RunEnd& end) {
    if (trains()) finish(end.logs);
  }

  // The validation of a fit has no line of its own.
  void on(const events::EvaluationBegin& /*event*/) {
    if (!trains()) return start();
    if (bar_) bar_->stop_clock();
  }
  void on(const events::EvaluationStep& step) {
    if (!trains()) show(step.step);
  }
  void on(const events::EvaluationEnd& end) {
    if (!trains()) finish(end.logs);
  }

  bool trains() const { return run_.kind != events::RunKind::evaluate; }
  void start() {
    done_ = 0;
    steps_known_ = run_.steps > 0 ? run_.steps : steps_known_;
    const ProgressScreen& screen = trains() ? fit_ : evaluate_;
    bar_.emplace(
        *screen.out,
        ProgressBarOptions{.target = steps_known_,
                           .terminal = screen.terminal && run_.verbose == 1,
                           .columns = [stream = screen.stream] { return terminal_columns(stream); },
                           .samples_per_step = run_.batch_size,
                           .plain = run_.verbose == 2});
  }
  void show(int64_t step) {
    done_ = step + 1;
    if (!bar_) return;
    bar_->count(done_);
    if (bar_->due()) bar_->update(done_, run_.read_logs ? run_.read_logs() : Logs{});
  }
  void finish(const Logs& logs) {
    if (steps_known_ < 0) steps_known_ = done_;
    if (bar_) bar_->finish(done_, logs);
    bar_.reset();
  }

  const ProgressScreen fit_, evaluate_;
  events::RunBegin run_;
  int64_t done_ = 0;
  int64_t steps_known_ = -1;  // from the first epoch on
  std::optional<ProgressBar> bar_;
};

}  // namespace

EventSinkPtr ProgressSink(std::ostream& out, bool terminal) {
  const ProgressScreen screen{.out = &out, .terminal = terminal};
  return std::make_shared<Progress>(screen, screen);
}

EventSinkPtr ProgressSink() {
  const auto screen = [](std::ostream& out, int stream) {
    return ProgressScreen{.out = &out, .terminal = terminal_columns(stream) > 0, .stream = stream};
  };
  return std::make_shared<Progress>(screen(std::cout, STDOUT_FILENO),
                                    screen(std::cerr, STDERR_FILENO));
}

}  // namespace systolic::inline v0
