// What happens in a run of training. Events are values: whoever hears of one may copy and keep it.
// Those of every step hold numbers alone, so that telling them allocates nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/events/logs.h"

namespace systolic::inline v0 {
namespace events {

// When something happened, and how far its run had come.
struct Moment {
  std::chrono::system_clock::time_point time = {};
  int64_t run = 0;   // its number in this process, from 1; 0: outside of a run
  int epoch = -1;    // counted from 0; -1: before the first
  int64_t step = 0;  // steps done, those of an earlier process that the run goes on from included
  int64_t samples = 0;  // trained on in this process
};

// What an event says to people, as the log shows it. Without text it says nothing.
struct Line {
  LogLevel level = LogLevel::info;
  std::string text = {};
  bool once = false;  // the log shows it once in the life of the process, a run tells it once
};

// Numbers under a name, such as a layer's weights.
struct NamedValues {
  std::string name = {};  // "dense/kernel"
  std::vector<float> values = {};
};

// Which call a run belongs to; custom_loop is a TrainingRun of one's own.
enum class RunKind : uint8_t { fit, evaluate, custom_loop };

// The first event that has a run; messages may come before it.
struct RunBegin {
  RunKind kind = RunKind::custom_loop;
  std::string name = {};   // of the model, or of the loop
  int epochs = 1;          // the number of the last one
  int64_t steps = -1;      // an epoch; -1: not known before the first has ended
  int64_t batch_size = 0;  // global; 0: not known
  int64_t cores = 1;
  int verbose = 1;  // what the caller wants to see, as FitOptions::verbose
  // What stands until RunEnd, read from the device: the host waits for it. Thread-safe, but not
  // while Compilation is told. Empty in loops that do not give them.
  std::function<Logs()> read_logs = {};
  std::function<double()> read_learning_rate = {};
  // The weights, and the model as Keras's JSON, "" where that has no word for it. Only on the
  // thread of the run: sinks in the background get neither.
  std::function<std::vector<NamedValues>()> read_weights = {};
  std::function<std::string()> model_json = {};
};

struct EpochBegin {
  int epoch = 0;  // counted from 0
};

// An execution of one step or of several is handed to the device.
struct StepEnd {
  int64_t step = 0;  // the last, counted from 0 in the epoch
  int64_t steps = 1;
  int64_t samples = 0;
  double milliseconds = 0;  // of the host, for each step, without callbacks
};

// The first step of a run, and one whose arrays have other shapes than those of the step before.
struct StepShapes {
  std::string text = {};  // "x f32[32,784], y s32[32]": of one step, sharded ones whole
};

// The loss of a step, some steps after it: reading it must not make the device wait.
struct LossKnown {
  int64_t step = 0;  // of the run, counted from 0
  float loss = 0;
};

struct EpochEnd {
  int epoch = 0;
  Logs logs = {};          // those of the validation are called val_...
  bool cut_short = false;  // by an interruption: it is none of the History
};

// evaluate(), or the validation in an epoch.
struct EvaluationBegin {};
struct EvaluationStep {
  int64_t step = 0;  // the last, counted from 0
  int64_t steps = 1;
  int64_t samples = 0;
};
// The evaluation is over: its loss and metrics, and how many samples it saw.
struct EvaluationEnd {
  Logs logs = {};
  int64_t samples = 0;
};

// A program was compiled: one that was found in the cache of the process is none.
struct Compilation {
  std::string program = {};  // "train_step"
  double milliseconds = 0;
};

// Another program is needed where one was made before.
struct Recompilation {
  std::string program = {};  // "train_step of model 'mnist'"
  std::string reason = {};   // "'x' was f32[32,100], is f32[32,117]"
  size_t programs = 0;       // with the new one
  Line line = {};
};

// What would make the run faster, or is likely to be a mistake.
struct Advice {
  Line line = {};
};

// Anything else that people are told.
struct Notice {
  Line line = {};
};

// The device waited for input in a notable part of the steps' time.
struct InputWait {
  double share = 0;  // of the worst epoch's time
  Line line = {};
};

// The data ended before the training did, which stops.
struct DataEnded {
  int64_t steps = 0;  // of the epoch
  Line line = {};
};

// A checkpoint lies whole under this path.
struct CheckpointWritten {
  std::string path = {};
  Line line = {};
};

// Ctrl-C: the step under way was finished.
struct Interruption {
  std::optional<double> loss = {};
  Line line = {};
};

// What a program shows of its own while it trains (train/sinks/summary.h).
struct Summary {
  std::string tag = {};
  std::optional<int64_t> step = {};   // the run's
  std::optional<double> number = {};  // where it is a scalar
  std::string value = {};             // a message summary.proto's Value, which holds the tag, too
};

// The run ends in an exception.
struct Failure {
  std::string what = {};
};

// The last of a run, but where it failed.
struct RunEnd {
  Logs logs = {};                   // the last
  double compile_milliseconds = 0;  // of the training step, also where an earlier run compiled it
  double input_wait_seconds = 0;
  double input_wait_share = 0;  // of the steps' time, by the device's counters
  bool interrupted = false;
};

}  // namespace events

using Event =
    std::variant<events::RunBegin, events::EpochBegin, events::StepShapes, events::StepEnd,
                 events::LossKnown, events::EpochEnd, events::EvaluationBegin,
                 events::EvaluationStep, events::EvaluationEnd, events::Compilation,
                 events::Recompilation, events::Advice, events::Notice, events::InputWait,
                 events::DataEnded, events::CheckpointWritten, events::Summary,
                 events::Interruption, events::Failure, events::RunEnd>;

// "step_end": as tables, files and pages name the kinds of events.
std::string_view event_name(const Event& event);

// What it says to people; null where that is nothing.
const events::Line* line_of(const Event& event);

}  // namespace systolic::inline v0
