// Keeps what the file of a run that dies says, as the run tells it.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "systolic/events/event_sink.h"
#include "systolic/monitor/crash/crash_file.h"
#include "systolic/monitor/crash/crash_record.h"

namespace systolic::inline v0 {
namespace monitor {

// The file is there from RunBegin to RunEnd; a failure after the first step keeps it, as does the
// end of the process.
class CrashWatch : public EventSink {
 public:
  explicit CrashWatch(std::string folder) : folder_(std::move(folder)) {}
  ~CrashWatch() override { end(); }

  void handle(const events::Moment& at, const Event& event) override;
  // Once a second, from the sampler's thread. The file is written soon after the run began, then
  // each time when that is twice as long ago, and at least every ten seconds.
  void note(const RunStatus& status);
  // The run is over, or its process is: without a failure the file goes.
  void end();

 private:
  template <class Other>
  void on(const events::Moment& /*at*/, const Other& /*event*/) {}
  void on(const events::Moment& at, const events::RunBegin& begin);
  void on(const events::Moment& at, const events::EpochBegin& begin);
  void on(const events::Moment& at, const events::StepShapes& shapes);
  void on(const events::Moment& at, const events::StepEnd& end);
  void on(const events::Moment& at, const events::LossKnown& known);
  void on(const events::Moment& at, const events::Compilation& compilation);
  void on(const events::Moment& at, const events::Recompilation& recompilation);
  void on(const events::Moment& at, const events::Failure& failure);
  void on(const events::Moment& at, const events::RunEnd& run_end);
  void add_event(const events::Moment& at, std::string_view kind, std::string_view text);
  void add_memory(const RunStatus& status);
  void write();
  void end_locked();

  const std::string folder_;
  std::mutex mutex_;  // guards what follows; handlers of signals read without it
  std::unique_ptr<CrashRecord> record_ = std::make_unique<CrashRecord>();
  std::unique_ptr<CrashFile> file_;
  double written_ = 0, remembered_ = 0;           // when the file was, and a point of memory
  bool knows_step_ = false, knows_loss_ = false;  // the file does
  int64_t first_step_ = 0;
};

}  // namespace monitor
}  // namespace systolic::inline v0
