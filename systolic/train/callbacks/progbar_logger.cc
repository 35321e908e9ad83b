#include "systolic/train/callbacks/progbar_logger.h"

#include <iostream>
#include <optional>

#include "systolic/base/terminal.h"
#include "systolic/base/text.h"
#include "systolic/train/callbacks/progress_bar.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace {

class Logger : public Callback {
 public:
  Logger(std::ostream& out, bool terminal) : out_(out), terminal_(terminal) {}

  void on_train_begin() override { fits_ = true; }
  void on_epoch_begin(int epoch) override {
    out_ << "Epoch " << epoch + 1 << "/" << parameters().epochs << "\n";
    out_.flush();
    begin();
  }
  void on_train_batch_end(int64_t step, const Logs&) override { show(step); }

  void on_epoch_end(int, const Logs& logs) override { finish(logs); }
  // Behind an epoch that was cut short.
  void on_train_end(const Logs& logs) override {
    finish(logs);
    fits_ = false;
  }

  // Of evaluate; fit's validation has no line of its own.
  void on_test_begin() override {
    if (!fits_) return begin();
    if (bar_) bar_->stop_clock();
  }
  void on_test_batch_end(int64_t step, const Logs&) override {
    if (!fits_) show(step);
  }
  void on_test_end(const Logs& logs) override {
    if (!fits_) finish(logs);
  }

 private:
  void begin() {
    done_ = 0;
    steps_known_ = parameters().steps > 0 ? parameters().steps : steps_known_;
    bar_.emplace(out_, ProgressBarOptions{.target = steps_known_,
                                          .terminal = terminal_ && parameters().verbose == 1,
                                          .columns = [] { return terminal_columns(); },
                                          .samples_per_step = parameters().batch_size,
                                          .plain = parameters().verbose == 2});
  }
  void show(int64_t step) {
    done_ = step + 1;
    if (!bar_) return;
    bar_->count(done_);
    if (bar_->due()) bar_->update(done_, model().current_logs());
  }
  void finish(const Logs& logs) {
    if (steps_known_ < 0) steps_known_ = done_;
    if (bar_) bar_->finish(done_, logs);
    bar_.reset();
  }

  std::ostream& out_;
  bool terminal_;
  bool fits_ = false;
  int64_t done_ = 0;
  int64_t steps_known_ = -1;  // from the first epoch on
  std::optional<ProgressBar> bar_;
};

}  // namespace

CallbackPtr ProgbarLogger(std::ostream& out, bool terminal) {
  return std::make_shared<Logger>(out, terminal);
}

CallbackPtr ProgbarLogger() { return ProgbarLogger(std::cout, terminal_columns() > 0); }

}  // namespace systolic::inline v0
