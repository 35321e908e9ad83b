#include "systolic/monitor/web/status_json.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/monitor/json_text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

template <class List, class Text>
std::string json_list(const List& list, Text text_of) {
  std::string text;
  for (const auto& one : list) text += str(text.empty() ? "" : ",", text_of(one));
  return str("[", text, "]");
}

std::string core_json(const CoreStatus& core) {
  return JsonObject()
      .add("number", core.number)
      .add("mxu_percent", core.mxu_percent)
      .add("padded_mxu_percent", core.padded_mxu_percent)
      .add("busy_percent", core.busy_percent)
      .add("input_wait_percent", core.input_wait_percent)
      .add("idle_percent", core.idle_percent)
      .add("collective_bytes_per_second", core.collective_bytes_per_second)
      .add("collective_bytes", core.collective_bytes)
      .add("memory_bytes", core.memory_bytes)
      .add("peak_memory_bytes", core.peak_memory_bytes)
      .add("memory_limit_bytes", core.memory_limit_bytes)
      .text();
}

std::string device_metric_json(const DeviceMetric& metric) {
  return JsonObject()
      .add("name", metric.name.view())
      .add("device", metric.device)
      .add("value", metric.value)
      .text();
}

std::string happening_json(const Happening& happening) {
  return JsonObject()
      .add("time", happening.time)
      .add("kind", happening.kind.view())
      .add("text", happening.text.view())
      .text();
}

std::string point_json(const CurvePoint& point, size_t cores) {
  const auto of_cores = [&](const std::array<float, cores_with_curves>& values) {
    return json_list(std::span(values).first(std::min(cores, values.size())),
                     [](float value) { return json(value); });
  };
  return JsonObject()
      .add("time", point.time)
      .add("loss", point.loss)
      .add("steps_per_second", point.steps_per_second)
      .add_text("mxu_percent", of_cores(point.mxu_percent))
      .add_text("input_wait_percent", of_cores(point.input_wait_percent))
      .add_text("idle_percent", of_cores(point.idle_percent))
      .add_text("memory_bytes", of_cores(point.memory_bytes))
      .text();
}

std::string logs_json(const RunStatus& status) {
  JsonObject logs;
  for (const NamedNumber& log : status.logs()) logs.add(log.name.view(), log.value);
  return logs.text();
}

std::string epoch_point_json(const EpochPoint& point, size_t metrics) {
  return JsonObject()
      .add("epoch", point.epoch)
      .add_text("values", json_list(std::span(point.values).first(metrics),
                                    [](float value) { return json(value); }))
      .text();
}

template <class Point>
std::span<const Point> asked_for(std::span<const Point> points, bool all) {
  return all ? points : points.last(std::min<size_t>(points.size(), 1));
}

void add_run(JsonObject& object, const RunStatus& status) {
  object.add("process", status.process)
      .add("program", status.program.view())
      .add("run", status.run)
      .add("name", status.name.view())
      .add("state", state_name(status.state))
      .add("failure", status.failure.view())
      .add("platform", status.platform.view())
      .add("device_kind", status.device_kind.view())
      .add("time", status.time)
      .add("begin_time", status.begin_time)
      .add("last_step_time", status.last_step_time)
      .add("end_time", status.end_time)
      .add("epoch", status.epoch)
      .add("epochs", status.epochs)
      .add("step_in_epoch", status.step_in_epoch)
      .add("steps_per_epoch", status.steps_per_epoch)
      .add("steps", status.steps)
      .add("samples", status.samples)
      .add("validation_steps", status.validation_steps)
      .add("steps_per_second", status.steps_per_second)
      .add("samples_per_second", status.samples_per_second)
      .add("sent_bytes", status.sent_bytes)
      .add("sent_bytes_per_second", status.sent_bytes_per_second)
      .add("loss", status.loss)
      .add("loss_step", status.loss_step)
      .add("compilations", status.compilations)
      .add("recompilations", status.recompilations)
      .add("compile_milliseconds", status.compile_milliseconds);
}

}  // namespace

std::string status_json(const RunStatus& status, bool all_points) {
  const size_t cores = status.cores().size();
  const size_t metrics = status.metric_names().size();
  JsonObject object;
  add_run(object, status);
  object.add("all_cores", status.all_cores)
      .add("point_seconds", status.point_seconds)
      .add("point_count", status.points().size())
      .add("epochs_per_point", status.epochs_per_point)
      .add_text("logs", logs_json(status))
      .add_text("cores", json_list(status.cores(), core_json))
      .add_text("device_metrics", json_list(status.device_metrics(), device_metric_json))
      .add_text("happenings", json_list(status.happenings(), happening_json))
      .add_text("metric_names", json_list(status.metric_names(),
                                          [](const auto& name) { return json(name.view()); }))
      .add_text("epoch_points", json_list(asked_for(status.epoch_points(), all_points),
                                          [&](const EpochPoint& point) {
                                            return epoch_point_json(point, metrics);
                                          }))
      .add_text("points",
                json_list(asked_for(status.points(), all_points),
                          [&](const CurvePoint& point) { return point_json(point, cores); }));
  return object.text();
}

}  // namespace monitor
}  // namespace systolic::inline v0
