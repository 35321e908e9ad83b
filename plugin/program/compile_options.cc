#include "plugin/program/compile_options.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/message.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

using protobuf::Message;
using protobuf::MessageReader;

// DeviceAssignmentProto: for each partition the devices of its replicas.
struct Assignment {
  int64_t replicas = 0, partitions = 0;
  std::vector<std::vector<int64_t>> devices;  // [partition][replica]
};

Assignment read_assignment(std::string_view bytes) {
  Assignment result;
  MessageReader reader(bytes);
  while (reader.next()) {
    if (reader.field() == 1) result.replicas = reader.integer();
    if (reader.field() == 2) result.partitions = reader.integer();
    if (reader.field() != 3) continue;
    std::vector<int64_t>& devices = result.devices.emplace_back();
    MessageReader ids(reader.bytes());
    while (ids.next()) {
      if (ids.field() == 1) ids.each_integer([&](int64_t id) { devices.push_back(id); });
    }
  }
  return result;
}

void read_build_options(std::string_view bytes, Layout& layout, Assignment& assignment) {
  MessageReader reader(bytes);
  while (reader.next()) {
    if (reader.field() == 4) layout.replicas = reader.integer();
    if (reader.field() == 5) layout.partitions = reader.integer();
    if (reader.field() == 9) assignment = read_assignment(reader.bytes());
  }
}

void assign(Layout& layout, const Assignment& assignment) {
  const auto replicas = static_cast<size_t>(layout.replicas);
  const auto partitions = static_cast<size_t>(layout.partitions);
  bool fits = assignment.devices.size() == partitions;
  for (const auto& devices : assignment.devices) fits = fits && devices.size() == replicas;
  if (!fits) {
    raise<InvalidArgument>({.what = "the assignment of devices",
                            .wanted = str(replicas, " replicas of ", partitions, " partitions")});
  }
  for (size_t replica = 0; replica < replicas; ++replica) {
    for (size_t partition = 0; partition < partitions; ++partition) {
      layout.devices[replica * partitions + partition] = assignment.devices[partition][replica];
    }
  }
}

}  // namespace

Layout read_layout(std::string_view options, int64_t device_count) {
  Layout layout;
  Assignment assignment;
  MessageReader reader(options);
  while (reader.next()) {
    if (reader.field() == 3) read_build_options(reader.bytes(), layout, assignment);
  }
  layout.replicas = layout.replicas == 0 ? 1 : layout.replicas;
  layout.partitions = layout.partitions == 0 ? 1 : layout.partitions;
  if (layout.replicas < 1 || layout.partitions < 1 || layout.replicas > device_count ||
      layout.partitions > device_count || layout.replicas * layout.partitions > device_count) {
    raise<InvalidArgument>(
        {.what = str("a program of ", layout.replicas, " replicas of ", layout.partitions,
                     " partitions"),
         .wanted = str("at most ", device_count, " together, the number of devices")});
  }
  layout.devices.resize(static_cast<size_t>(layout.replicas * layout.partitions));
  std::iota(layout.devices.begin(), layout.devices.end(), 0);
  if (!assignment.devices.empty()) assign(layout, assignment);
  const std::set<int64_t> different(layout.devices.begin(), layout.devices.end());
  if (different.size() != layout.size() || *different.begin() < 0 ||
      *different.rbegin() >= device_count) {
    raise<InvalidArgument>({.what = str("devices (", join(layout.devices), ")"),
                            .wanted = str("different ones below ", device_count)});
  }
  return layout;
}

namespace {

// Some of XLA's options that are true or false (xla.proto, DebugOptions).
constexpr std::string_view switches[] = {
    "xla_cpu_enable_fast_math",     "xla_cpu_enable_fast_min_max", "xla_cpu_fast_math_honor_infs",
    "xla_cpu_fast_math_honor_nans", "xla_cpu_multi_thread_eigen",  "xla_cpu_use_thunk_runtime",
    "xla_dump_hlo_as_dot",          "xla_dump_hlo_as_proto",       "xla_dump_hlo_as_text",
    "xla_dump_hlo_snapshots",       "xla_embed_ir_in_executable",
};

bool is_switch(std::string_view name) {
  return std::find(std::begin(switches), std::end(switches), name) != std::end(switches);
}

// OptionOverrideProto: a text 1, a bool 2, an integer 3, a double 4.
void check_named_option(std::string_view name, std::string_view value) {
  if (name.substr(0, 4) != "xla_") {
    raise<InvalidArgument>({.what = str("No such compile option: '", name, "'"),
                            .wanted = "an option of XLA, whose name begins with xla_"});
  }
  MessageReader reader(value);
  while (reader.next()) {
    if (reader.field() != 1 || !is_switch(name)) continue;
    const std::string_view text = reader.bytes();
    if (text == "true" || text == "false" || text == "True" || text == "False") continue;
    raise<InvalidArgument>(
        {.what = str("the compile option ", name, ": '", text, "' is not a valid bool value.")});
  }
}

}  // namespace

// CompileOptionsProto: env_option_overrides 7, a map of names (1) to values (2).
void check_named_options(std::string_view options) {
  MessageReader reader(options);
  while (reader.next()) {
    if (reader.field() != 7) continue;
    std::string_view name, value;
    MessageReader entry(reader.bytes());
    while (entry.next()) {
      if (entry.field() == 1) name = entry.bytes();
      if (entry.field() == 2) value = entry.bytes();
    }
    check_named_option(name, value);
  }
}

std::string assignment_of(const Layout& layout) {
  Message message;
  message.integer(1, layout.replicas).integer(2, layout.partitions);
  for (int64_t partition = 0; partition < layout.partitions; ++partition) {
    std::vector<int64_t> ids;
    for (int64_t replica = 0; replica < layout.replicas; ++replica) {
      ids.push_back(layout.devices[static_cast<size_t>(replica * layout.partitions + partition)]);
    }
    message.message(3, Message().integers(1, ids));
  }
  return message.data();
}

}  // namespace plugin
}  // namespace systolic::inline v0
