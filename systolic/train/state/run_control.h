// What is asked of the fit that runs, from callbacks. Internal to train.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>

namespace systolic::inline v0 {

class RunControl {
 public:
  // No stop is asked for yet.
  void begin() { stops_ = own_rows_ = false; }
  // After the step under way.
  void stop() { stops_ = true; }
  bool is_stopped() const { return stops_; }

  // Whether each process of the run reads rows of its own, and has its own place in the data.
  bool own_rows() const { return own_rows_; }
  void set_own_rows(bool own) { own_rows_ = own; }

  // Where the data stands, as bytes; empty outside of a fit with a callback that wants it.
  const std::function<std::string()>& input_state() const { return input_state_; }
  void answer_input_state(std::function<std::string()> answer) { input_state_ = std::move(answer); }

 private:
  std::atomic<bool> stops_{false}, own_rows_{false};
  std::function<std::string()> input_state_;
};

}  // namespace systolic::inline v0
