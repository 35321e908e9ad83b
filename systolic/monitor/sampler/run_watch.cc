#include "systolic/monitor/sampler/run_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/monitor/sampler/curves.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

double seconds_since_1970(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

RunWatch::RunWatch(std::function<void()> changed) : changed_(std::move(changed)) {}

void RunWatch::handle(const events::Moment& at, const Event& event) {
  std::visit([&](const auto& one) { on(at, one); }, event);
  if (line_of(event) != nullptr) tell_of(at, event);
}

void RunWatch::on(const events::Moment& at, const events::RunBegin& begin) {
  {
    const std::lock_guard lock(mutex_);
    told_.run = at.run;
    told_.name = begin.name;
    told_.begin_time = seconds_since_1970(at.time);
    told_.epochs = begin.epochs;
    told_.steps_per_epoch = begin.steps;
  }
  steps_.store(at.step, relaxed);
  changed_();
}

void RunWatch::on(const events::Moment& /*at*/, const events::EpochBegin& begin) {
  const std::lock_guard lock(mutex_);
  told_.epoch = begin.epoch;
  step_in_epoch_.store(0, relaxed);
}

void RunWatch::on(const events::Moment& at, const events::StepEnd& end) {
  steps_.store(at.step, relaxed);
  samples_.store(at.samples, relaxed);
  step_in_epoch_.store(end.step + 1, relaxed);
  step_milliseconds_.store(end.milliseconds, relaxed);
  last_step_time_.store(seconds_since_1970(at.time), relaxed);
}

void RunWatch::on(const events::Moment& /*at*/, const events::LossKnown& known) {
  loss_.store(known.loss, relaxed);
  loss_step_.store(known.step, relaxed);
}

void RunWatch::on(const events::Moment& /*at*/, const events::EpochEnd& end) {
  {
    const std::lock_guard lock(mutex_);
    const size_t count = std::min(end.logs.size(), most_logs);
    for (size_t i = 0; i < count; ++i) {
      told_.log_list[i] = {.name = {end.logs[i].first}, .value = end.logs[i].second};
    }
    told_.log_count = static_cast<int32_t>(count);
    if (!end.cut_short) add_epoch_point(told_, end.epoch, end.logs);
    if (told_.steps_per_epoch < 0 && !end.cut_short) {
      told_.steps_per_epoch = step_in_epoch_.load(relaxed);
    }
  }
  changed_();
}

void RunWatch::on(const events::Moment& /*at*/, const events::EvaluationBegin& /*begin*/) {
  const std::lock_guard lock(mutex_);
  told_.state = RunState::validating;
  validation_steps_.store(0, relaxed);
}

void RunWatch::on(const events::Moment& at, const events::EvaluationStep& step) {
  validation_steps_.store(step.step + 1, relaxed);
  last_step_time_.store(seconds_since_1970(at.time), relaxed);
}

void RunWatch::on(const events::Moment& /*at*/, const events::EvaluationEnd& /*end*/) {
  const std::lock_guard lock(mutex_);
  told_.state = RunState::training;
}

void RunWatch::on(const events::Moment& at, const events::Compilation& compilation) {
  const std::lock_guard lock(mutex_);
  ++told_.compilations;
  told_.compile_milliseconds += compilation.milliseconds;
  add_happening(seconds_since_1970(at.time), "compilation",
                str(compilation.program, " in ", fixed(compilation.milliseconds, 1), " ms"));
}

void RunWatch::on(const events::Moment& at, const events::Recompilation& recompilation) {
  const std::lock_guard lock(mutex_);
  ++told_.recompilations;
  add_happening(seconds_since_1970(at.time), "recompilation",
                str(recompilation.program, ": ", recompilation.reason));
}

void RunWatch::on(const events::Moment& at, const events::Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    told_.failure = failure.what;
    add_happening(seconds_since_1970(at.time), "failure", failure.what);
  }
  end(at, RunState::failed);
}

void RunWatch::on(const events::Moment& at, const events::RunEnd& end) {
  this->end(at, end.interrupted ? RunState::interrupted : RunState::ended);
}

void RunWatch::end(const events::Moment& at, RunState state) {
  {
    const std::lock_guard lock(mutex_);
    told_.state = state;
    told_.end_time = seconds_since_1970(at.time);
  }
  changed_();
}

// Events that say something to people and were not counted above.
void RunWatch::tell_of(const events::Moment& at, const Event& event) {
  if (std::holds_alternative<events::Recompilation>(event)) return;
  const std::lock_guard lock(mutex_);
  add_happening(seconds_since_1970(at.time), event_name(event), line_of(event)->text);
}

void RunWatch::add_happening(double time, std::string_view kind, std::string_view text) {
  auto& list = told_.happening_list;
  if (told_.happening_count == static_cast<int32_t>(most_happenings)) {
    std::move(list.begin() + 1, list.end(), list.begin());
    --told_.happening_count;
  }
  list[static_cast<size_t>(told_.happening_count++)] = {
      .time = time, .kind = {kind}, .text = {text}};
}

RunFacts RunWatch::facts() const {
  RunFacts facts = [this] {
    const std::lock_guard lock(mutex_);
    return told_;
  }();
  facts.steps = steps_.load(relaxed);
  facts.samples = samples_.load(relaxed);
  facts.step_in_epoch = step_in_epoch_.load(relaxed);
  facts.validation_steps = validation_steps_.load(relaxed);
  facts.step_milliseconds = step_milliseconds_.load(relaxed);
  facts.last_step_time = last_step_time_.load(relaxed);
  facts.loss = loss_.load(relaxed);
  facts.loss_step = loss_step_.load(relaxed);
  return facts;
}

}  // namespace monitor
}  // namespace systolic::inline v0
