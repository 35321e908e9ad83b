#include "systolic/train/sinks/json_lines.h"

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "systolic/monitor/json_text.h"
#include "systolic/train/sinks/appended_file.h"

namespace systolic::inline v0 {
namespace {

using monitor::JsonObject;

std::string json_of(const Logs& logs) {
  JsonObject object;
  for (const auto& [name, value] : logs) object.add(name, value);
  return object.text();
}

class JSONLinesSink : public EventSink {
 public:
  explicit JSONLinesSink(const JSONLines& options)
      : update_freq_(options.update_freq),
        file_(options.filename, options.append, options.location) {}

  void handle(const events::Moment& at, const Event& event) override {
    JsonObject line = JsonObject()
                          .add("event", event_name(event))
                          .add("time", seconds_of(at))
                          .add("run", at.run)
                          .add("epoch", at.epoch)
                          .add("step", at.step)
                          .add("samples", at.samples);
    if (std::visit([&](const auto& one) { return add(line, at, one); }, event)) {
      file_.append(line.text() + "\n");
    } else if (const events::Line* told = line_of(event)) {
      file_.append(line.add("text", told->text).text() + "\n");
    }
  }

 private:
  static double seconds_of(const events::Moment& at) {
    return std::chrono::duration<double>(at.time.time_since_epoch()).count();
  }

  // What the event says of its own; false where it has no line.
  template <class Other>
  bool add(JsonObject& /*line*/, const events::Moment& /*at*/, const Other& /*event*/) {
    return false;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::RunBegin& run) {
    read_logs_ = run.read_logs;
    line.add("name", run.name)
        .add("epochs", run.epochs)
        .add("steps_per_epoch", run.steps)
        .add("batch_size", run.batch_size)
        .add("cores", run.cores);
    return true;
  }
  bool add(JsonObject& line, const events::Moment& at, const events::StepEnd& end) {
    const int64_t every = update_freq_;
    if (every <= 0 || at.step / every == (at.step - end.steps) / every) return false;
    line.add("milliseconds", end.milliseconds);
    if (read_logs_) line.add_text("logs", json_of(read_logs_()));
    return true;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::EpochEnd& end) {
    line.add_text("logs", json_of(end.logs)).add_text("cut_short", truth(end.cut_short));
    return true;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::EvaluationEnd& end) {
    line.add_text("logs", json_of(end.logs)).add("evaluated", end.samples);
    return true;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::Compilation& one) {
    line.add("program", one.program).add("milliseconds", one.milliseconds);
    return true;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::Recompilation& one) {
    line.add("program", one.program).add("reason", one.reason);
    return true;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::Summary& summary) {
    if (!summary.number) return false;
    line.add("tag", summary.tag).add("value", *summary.number);
    return true;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::Failure& failure) {
    line.add("what", failure.what);
    return true;
  }
  bool add(JsonObject& line, const events::Moment& /*at*/, const events::RunEnd& end) {
    read_logs_ = {};  // holds the model
    line.add_text("logs", json_of(end.logs)).add_text("interrupted", truth(end.interrupted));
    return true;
  }
  static std::string_view truth(bool value) { return value ? "true" : "false"; }

  const int64_t update_freq_;
  AppendedFile file_;
  std::function<Logs()> read_logs_;
};

}  // namespace

JSONLines::operator EventSinkPtr() const { return std::make_shared<JSONLinesSink>(*this); }

}  // namespace systolic::inline v0
