#include "tools/systolic/logged_runs.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"
#include "systolic/base/text.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/monitor/json_text.h"

namespace tool {
namespace {

namespace fs = std::filesystem;
using systolic::str;
using systolic::protobuf::WireReader;
using systolic::protobuf::WireType;

// Calls visit(field, type, number, bytes) for each field; stops where the message is damaged.
// Numbers are those of varints and of fixed32.
template <class Visit>
void each_field(std::string_view message, const Visit& visit) {
  WireReader reader(message);
  while (!reader.at_end()) {
    uint32_t field = 0, fixed = 0;
    WireType type{};
    uint64_t number = 0;
    std::string_view bytes;
    if (!reader.read_tag(field, type)) return;
    const bool good = type == WireType::varint    ? reader.read_varint(number)
                      : type == WireType::bytes   ? reader.read_bytes(bytes)
                      : type == WireType::fixed32 ? reader.read_fixed32(fixed)
                                                  : reader.skip(type);
    if (!good) return;
    visit(field, type, type == WireType::fixed32 ? fixed : number, bytes);
  }
}

double first_float(std::string_view bytes) {
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// tensor.proto: one f32, as float_val (5) or tensor_content (4).
std::optional<double> number_in_tensor(std::string_view tensor) {
  constexpr uint32_t dtype = 1, content = 4, float_values = 5, f32 = 1;
  std::optional<double> value;
  bool is_f32 = false;
  each_field(tensor, [&](uint32_t field, WireType type, uint64_t number, std::string_view bytes) {
    if (field == dtype) is_f32 = number == f32;
    const bool packed = type == WireType::bytes && bytes.size() == sizeof(float);
    if (packed && (field == content || field == float_values)) value = first_float(bytes);
    if (field == float_values && type == WireType::fixed32) {
      value = std::bit_cast<float>(static_cast<uint32_t>(number));
    }
  });
  return is_f32 ? value : std::nullopt;
}

// summary.proto's Value: a tag (1), and a simple_value (2) or a tensor (8).
void add_value(LoggedScalars& scalars, int64_t step, std::string_view value) {
  constexpr uint32_t tag = 1, simple = 2, tensor = 8;
  std::string name;
  std::optional<double> number;
  each_field(value, [&](uint32_t field, WireType type, uint64_t bits, std::string_view bytes) {
    if (field == tag) name = bytes;
    if (field == simple && type == WireType::fixed32) {
      number = std::bit_cast<float>(static_cast<uint32_t>(bits));
    }
    if (field == tensor) number = number_in_tensor(bytes);
  });
  if (number && !name.empty()) scalars[name].emplace_back(step, *number);
}

// event.proto: a step (2) and a summary (5) of values (1).
void add_event(LoggedScalars& scalars, std::string_view event) {
  constexpr uint32_t step_field = 2, summary = 5, value = 1;
  int64_t step = 0;
  each_field(event, [&](uint32_t field, WireType, uint64_t number, std::string_view) {
    if (field == step_field) step = static_cast<int64_t>(number);
  });
  each_field(event, [&](uint32_t field, WireType, uint64_t, std::string_view bytes) {
    if (field != summary) return;
    each_field(bytes, [&](uint32_t inner, WireType, uint64_t, std::string_view of_value) {
      if (inner == value) add_value(scalars, step, of_value);
    });
  });
}

void add_file(LoggedScalars& scalars, const std::string& path) {
  constexpr uint64_t most_bytes = 64 << 20;
  try {
    systolic::io::TFRecordReader reader(path,
                                        {.max_record_bytes = most_bytes, .may_be_empty = true});
    std::string_view record;
    while (reader.next(record)) add_event(scalars, record);
  } catch (const systolic::DataLoss&) {  // its end is being written, or damaged
  }
}

void thin_out(LoggedScalars& scalars, size_t most) {
  for (auto& [tag, points] : scalars) {
    if (points.size() <= most) continue;
    std::vector<std::pair<int64_t, double>> left;
    for (size_t i = 1; i <= most; ++i) left.push_back(points[points.size() * i / most - 1]);
    points = std::move(left);
  }
}

}  // namespace

std::vector<LoggedRun> read_logged_runs(const std::string& folder, size_t most_points) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    systolic::raise<systolic::NotFound>({.what = str("there is no logs folder '", folder, "'")});
  }
  std::map<std::string, std::vector<std::string>> files;  // by run
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().string().find(".tfevents.") == std::string::npos) continue;
    const std::string name = fs::relative(at->path().parent_path(), folder, error).string();
    files[name].push_back(at->path().string());
  }
  std::vector<LoggedRun> runs;
  for (auto& [name, paths] : files) {
    std::sort(paths.begin(), paths.end());
    LoggedRun run{.name = name, .scalars = {}};
    for (const std::string& path : paths) add_file(run.scalars, path);
    thin_out(run.scalars, most_points);
    if (!run.scalars.empty()) runs.push_back(std::move(run));
  }
  return runs;
}

std::string logged_runs_json(const std::vector<LoggedRun>& runs) {
  using systolic::monitor::json;
  std::string list;
  for (const LoggedRun& run : runs) {
    systolic::monitor::JsonObject scalars;
    for (const auto& [tag, points] : run.scalars) {
      std::string text;
      for (const auto& [step, value] : points) {
        text += str(text.empty() ? "" : ",", "[", step, ",", json(value), "]");
      }
      scalars.add_text(tag, str("[", text, "]"));
    }
    list += list.empty() ? "" : ",";
    list += systolic::monitor::JsonObject()
                .add("name", run.name)
                .add_text("scalars", scalars.text())
                .text();
  }
  return str("{\"runs\":[", list, "]}");
}

}  // namespace tool
