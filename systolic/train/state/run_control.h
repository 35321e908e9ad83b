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
  void begin() { stops_ = false; }
  // After the step under way.
  void stop() { stops_ = true; }
  bool is_stopped() const { return stops_; }

  // Where the data stands, as bytes; empty outside of a fit with a callback that wants it.
  const std::function<std::string()>& input_state() const { return input_state_; }
  void answer_input_state(std::function<std::string()> answer) { input_state_ = std::move(answer); }

 private:
  std::atomic<bool> stops_{false};
  std::function<std::string()> input_state_;
};

}  // namespace systolic::inline v0
