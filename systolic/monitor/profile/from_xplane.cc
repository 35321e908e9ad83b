#include <algorithm>
#include <unordered_map>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/message.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/xplane.h"
#include "systolic/monitor/profile/xplane_names.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

using protobuf::MessageReader;
using spans::Work;
using xplane::Stat;

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return result;
}

struct ReadStat {
  int64_t metadata = 0, number = 0;
  std::string_view text;
};

ReadStat read_stat(std::string_view bytes) {
  ReadStat stat;
  MessageReader reader(bytes);
  while (reader.next()) {
    if (reader.field() == xplane::stat_metadata_id) stat.metadata = reader.integer();
    if (reader.field() == xplane::stat_int64) stat.number = reader.integer();
    if (reader.field() == xplane::stat_text) stat.text = reader.bytes();
  }
  return stat;
}

// An entry of a map: the number in front of a message.
struct MapEntry {
  int64_t key = 0;
  std::string_view value;
};

MapEntry read_entry(std::string_view bytes) {
  MapEntry entry;
  MessageReader reader(bytes);
  while (reader.next()) {
    if (reader.field() == xplane::map_key) entry.key = reader.integer();
    if (reader.field() == xplane::map_value) entry.value = reader.bytes();
  }
  return entry;
}

// The profile in the plane of the host.
class HostPlane {
 public:
  explicit HostPlane(std::string_view bytes) : bytes_(bytes) {}

  Profile read() {
    each(xplane::plane_stat_metadata, [&](std::string_view value) { add_stat_name(value); });
    each(xplane::plane_event_metadata, [&](std::string_view value) { number_work(value); });
    each(xplane::plane_event_metadata, [&](std::string_view value) { add_work(value); });
    each(xplane::plane_lines, [&](std::string_view value) { add_thread(value); });
    each(xplane::plane_stats, [&](std::string_view value) { add_fact(read_stat(value)); });
    return std::move(profile_);
  }

 private:
  template <class Visit>
  void each(uint32_t field, Visit visit) const {
    MessageReader reader(bytes_);
    while (reader.next()) {
      if (reader.field() == field) visit(reader.bytes());
    }
  }

  void add_stat_name(std::string_view bytes) {
    const MapEntry entry = read_entry(bytes);
    MessageReader reader(entry.value);
    while (reader.next()) {
      if (reader.field() != xplane::metadata_name) continue;
      const auto& names = xplane::stat_names;
      const auto found = std::find(names.begin() + 1, names.end(), reader.bytes());
      if (found != names.end()) stats_[entry.key] = static_cast<Stat>(found - names.begin());
    }
  }

  Stat name_of(const ReadStat& stat) const {
    const auto found = stats_.find(stat.metadata);
    return found == stats_.end() ? Stat::none : found->second;
  }

  void number_work(std::string_view bytes) {
    const int64_t key = read_entry(bytes).key;
    if (works_.try_emplace(key, static_cast<spans::WorkId>(works_.size() + 1)).second) {
      profile_.recorded.works.emplace_back();
    }
  }
  spans::WorkId work_of(int64_t key) const {
    const auto found = works_.find(key);
    return found == works_.end() ? spans::no_work : found->second;
  }

  void add_work(std::string_view bytes) {
    const MapEntry entry = read_entry(bytes);
    Work& work = profile_.recorded.works[static_cast<size_t>(work_of(entry.key))];
    MessageReader reader(entry.value);
    while (reader.next()) {
      if (reader.field() == xplane::metadata_name) work.name = printable(reader.bytes());
      if (reader.field() == xplane::metadata_stats) set(work, read_stat(reader.bytes()));
    }
  }

  void set(Work& work, const ReadStat& stat) const {
    constexpr int64_t most_kind = static_cast<int64_t>(spans::WorkKind::input);
    constexpr int64_t most_line = 1 << 30;
    const auto positive = static_cast<double>(std::max<int64_t>(stat.number, 0));
    switch (name_of(stat)) {
      case Stat::kind:
        work.kind = static_cast<spans::WorkKind>(std::clamp<int64_t>(stat.number, 0, most_kind));
        break;
      case Stat::layer:
        work.layer = printable(stat.text);
        break;
      case Stat::source:
        work.file = printable(stat.text);
        break;
      case Stat::line:
        work.line = static_cast<int>(std::clamp<int64_t>(stat.number, 0, most_line));
        break;
      case Stat::flops:
        work.flops = positive;
        break;
      case Stat::bytes:
        work.bytes = positive;
        break;
      case Stat::member_of:
        work.member_of = work_of(stat.number);
        break;
      default:
        break;
    }
  }

  void add_thread(std::string_view bytes) {
    spans::RecordedThread thread;
    MessageReader reader(bytes);
    while (reader.next()) {
      switch (reader.field()) {
        case xplane::line_id:
          thread.id = reader.integer();
          break;
        case xplane::line_name:
          thread.name = printable(reader.bytes());
          break;
        case xplane::line_timestamp_ns:
          profile_.recorded.begin_time = static_cast<double>(reader.integer()) / 1e9;
          break;
        case xplane::line_events:
          thread.spans.push_back(span_of(reader.bytes()));
          break;
        default:
          break;
      }
    }
    profile_.recorded.threads.push_back(std::move(thread));
  }

  spans::RecordedSpan span_of(std::string_view bytes) const {
    // A century: sums of it and of durations stay in range.
    constexpr int64_t most_ns = int64_t{1} << 61;
    const auto nanoseconds = [=](int64_t ps) { return std::clamp<int64_t>(ps, 0, most_ns) / 1000; };
    spans::RecordedSpan span;
    int64_t duration = 0;
    MessageReader reader(bytes);
    while (reader.next()) {
      switch (reader.field()) {
        case xplane::event_metadata_id:
          span.work = work_of(reader.integer());
          break;
        case xplane::event_offset_ps:
          span.begin_ns = nanoseconds(reader.integer());
          break;
        case xplane::event_duration_ps:
          duration = nanoseconds(reader.integer());
          break;
        case xplane::event_stats: {
          const ReadStat stat = read_stat(reader.bytes());
          if (name_of(stat) == Stat::share) span.is_share = stat.number != 0;
          if (name_of(stat) == Stat::number) span.number = std::max<int64_t>(stat.number, -1);
          break;
        }
        default:
          break;
      }
    }
    span.end_ns = span.begin_ns + duration;
    return span;
  }

  void add_fact(const ReadStat& stat) {
    constexpr int64_t most_cores = 1 << 20;
    const int64_t number = std::max<int64_t>(stat.number, 0);
    switch (name_of(stat)) {
      case Stat::program:
        profile_.program = printable(stat.text);
        break;
      case Stat::process:
        profile_.process = number;
        break;
      case Stat::platform:
        profile_.platform = printable(stat.text);
        break;
      case Stat::device_kind:
        profile_.device_kind = printable(stat.text);
        break;
      case Stat::cores:
        profile_.cores = static_cast<int>(std::min(number, most_cores));
        break;
      case Stat::peak_flops:
        profile_.peak_flops = static_cast<double>(number);
        break;
      case Stat::peak_bytes:
        profile_.peak_bytes = static_cast<double>(number);
        break;
      case Stat::lost:
        profile_.recorded.lost = number;
        break;
      case Stat::duration_ns:
        profile_.recorded.duration_ns = number;
        break;
      default:
        break;
    }
  }

  const std::string_view bytes_;
  Profile profile_ = [] {
    Profile profile;
    profile.recorded.works.emplace_back();
    return profile;
  }();
  std::unordered_map<int64_t, Stat> stats_;
  std::unordered_map<int64_t, spans::WorkId> works_;
};

bool is_host_plane(std::string_view plane) {
  MessageReader reader(plane);
  while (reader.next()) {
    if (reader.field() == xplane::plane_name) return reader.bytes() == xplane::host_plane;
  }
  return false;
}

}  // namespace

Profile from_xplane(std::string_view bytes) {
  std::string host;
  std::string_view plane;
  try {
    MessageReader reader(bytes);
    while (reader.next()) {
      if (reader.field() == xplane::space_hostnames) host = printable(reader.bytes());
      if (reader.field() != xplane::space_planes || !is_host_plane(reader.bytes())) continue;
      plane = reader.bytes();
    }
    if (plane.empty()) raise<InvalidArgument>({.what = "it has no plane of the host"});
    Profile profile = HostPlane(plane).read();
    profile.host = std::move(host);
    return profile;
  } catch (const InvalidArgument& error) {
    raise<DataLoss>({.what = str("this is no profile that can be read: ", error.what()),
                     .wanted = "an .xplane.pb that `systolic profile` or fit has written"});
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0
