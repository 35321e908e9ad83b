#include "systolic/monitor/crash/crash_watch.h"

#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/text.h"
#include "systolic/monitor/crash/crash_signals.h"
#include "systolic/monitor/crash/hide_secrets.h"
#include "systolic/monitor/sampler/process_start.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr double write_interval = 10, first_memory_interval = 1;  // seconds

double seconds_of(const events::Moment& at) {
  return std::chrono::duration<double>(at.time.time_since_epoch()).count();
}

// Resident, as the system counts it.
int64_t process_memory() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::string system_text() {
  utsname names{};
  uname(&names);
  return str(static_cast<const char*>(names.sysname), " ", static_cast<const char*>(names.release),
             " ", static_cast<const char*>(names.machine));
}

}  // namespace

void CrashWatch::handle(const events::Moment& at, const Event& event) {
  const std::lock_guard lock(mutex_);
  std::visit([&](const auto& one) { on(at, one); }, event);
  const events::Line* line = line_of(event);
  if (line != nullptr && !std::holds_alternative<events::Recompilation>(event)) {
    add_event(at, event_name(event), line->text);
  }
}

void CrashWatch::on(const events::Moment& at, const events::RunBegin& begin) {
  CrashRecord& record = *record_;
  record.time = record.begin_time = seconds_of(at);
  record.process = getpid();
  record.process_start = process_start(getpid());
  record.program = program_invocation_short_name;
  record.system = system_text();
  record.run = at.run;
  record.cores = begin.cores;
  record.name = begin.name;
  record.evaluates = begin.kind == events::RunKind::evaluate;
  record.epochs = begin.epochs;
  record.batch_size = begin.batch_size;
  record.steps = first_step_ = at.step;
  record.memory_interval = first_memory_interval;
  knows_step_ = knows_loss_ = false;
  try {
    file_ = std::make_unique<CrashFile>(folder_, record);
  } catch (const Error& error) {
    log_once(LogLevel::warning, str("A run that dies will leave no file: ", error.what()));
    return;
  }
  written_ = record.time;
  catch_crashes();
  give_handlers_a_stack();
  register_record(record, file_->number(), file_->path().c_str());
}

void CrashWatch::on(const events::Moment& /*at*/, const events::EpochBegin& begin) {
  record_->epoch = begin.epoch;
}

void CrashWatch::on(const events::Moment& /*at*/, const events::StepShapes& shapes) {
  record_->shapes = shapes.text;
}

void CrashWatch::on(const events::Moment& at, const events::StepEnd& end) {
  CrashRecord& record = *record_;
  record.time = seconds_of(at);
  record.steps = at.step;
  record.samples = at.samples;
  const int64_t first = std::max(at.step - end.steps, at.step - int64_t{most_last_steps});
  for (int64_t step = first; step < at.step; ++step) {
    record.last_steps[static_cast<size_t>(step % int64_t{most_last_steps})] = {
        .step = step, .samples = at.samples, .time = record.time, .milliseconds = end.milliseconds};
  }
  // A run that is killed in its first second has come this far.
  if (!std::exchange(knows_step_, true)) write();
}

void CrashWatch::on(const events::Moment& /*at*/, const events::LossKnown& known) {
  LastStep& step = record_->last_steps[static_cast<size_t>(known.step % int64_t{most_last_steps})];
  if (step.step != known.step) return;
  step.loss = known.loss;
  step.knows_loss = true;
  if (!std::exchange(knows_loss_, true)) write();
}

void CrashWatch::on(const events::Moment& at, const events::Compilation& compilation) {
  add_event(at, "compilation",
            str(compilation.program, " in ", fixed(compilation.milliseconds, 1), " ms"));
}

void CrashWatch::on(const events::Moment& at, const events::Recompilation& recompilation) {
  add_event(at, "recompilation", str(recompilation.program, ": ", recompilation.reason));
}

void CrashWatch::on(const events::Moment& at, const events::Failure& failure) {
  if (file_ == nullptr) return;
  CrashRecord& record = *record_;
  record.time = seconds_of(at);
  record.cause = CrashCause::exception;
  record.error = hide_secrets(failure.what);
  if (at.step > first_step_) {  // before, it is the caller's mistake, which the error says
    own_stack(record.stacks);
    write();
    file_->keep();
    log_info(str("What is known of the run that failed: systolic doctor ", file_->path()));
  }
  end_locked();
}

void CrashWatch::on(const events::Moment& /*at*/, const events::RunEnd& /*run_end*/) {
  end_locked();
}

void CrashWatch::add_event(const events::Moment& at, std::string_view kind, std::string_view text) {
  record_->last_events[static_cast<size_t>(record_->event_count % int64_t{most_last_events})] = {
      .time = seconds_of(at), .kind = {kind}, .text = {hide_secrets(text)}};
  ++record_->event_count;
}

void CrashWatch::note(const RunStatus& status) {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr || status.run != record_->run) return;
  record_->platform = status.platform.view();
  record_->device_kind = status.device_kind.view();
  record_->cores = status.all_cores;
  add_memory(status);
  const double until_now = written_ - record_->begin_time;
  if (status.time < written_ + std::clamp(until_now, 0.0, write_interval)) return;
  written_ = status.time;
  write();
}

void CrashWatch::write() {
  if (file_ == nullptr || file_->write(*record_)) return;
  log_once(LogLevel::warning, str("A run that dies will leave a file that is cut: the disk of '",
                                  file_->path(), "' is full. SYSTOLIC_CRASH=FOLDER names another"));
}

// Where all points are taken, every other one goes, and the interval doubles.
void CrashWatch::add_memory(const RunStatus& status) {
  CrashRecord& record = *record_;
  if (status.time < remembered_ + record.memory_interval) return;
  remembered_ = status.time;
  if (record.memory_count == static_cast<int32_t>(most_memory_points)) {
    for (size_t i = 1; 2 * i < most_memory_points; ++i) record.memory[i] = record.memory[2 * i];
    record.memory_count = static_cast<int32_t>(most_memory_points / 2);
    record.memory_interval *= 2;
  }
  int64_t device = 0;
  for (const CoreStatus& core : status.cores()) device = std::max(device, core.memory_bytes);
  record.memory[static_cast<size_t>(record.memory_count)] = {.time = status.time,
                                                             .process_bytes = process_memory(),
                                                             .device_bytes = device,
                                                             .host = memory_left()};
  ++record.memory_count;
}

void CrashWatch::end() {
  const std::lock_guard lock(mutex_);
  end_locked();
}

void CrashWatch::end_locked() {
  release_record(*record_);
  file_.reset();
}

}  // namespace monitor
}  // namespace systolic::inline v0
