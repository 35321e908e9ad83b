#include "systolic/base/protobuf/message.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/xplane.h"
#include "systolic/monitor/profile/xplane_names.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

using protobuf::Message;
using spans::Work;
using spans::WorkKind;
using xplane::Stat;

constexpr int64_t picoseconds = 1000;  // in a nanosecond

Message stat(Stat name, int64_t value) {
  return Message()
      .integer(xplane::stat_metadata_id, static_cast<int64_t>(name))
      .integer(xplane::stat_int64, value);
}
Message natural_stat(Stat name, uint64_t value) {
  return Message()
      .integer(xplane::stat_metadata_id, static_cast<int64_t>(name))
      .integer(xplane::stat_uint64, static_cast<int64_t>(value));
}
Message real_stat(Stat name, double value) {
  return Message()
      .integer(xplane::stat_metadata_id, static_cast<int64_t>(name))
      .real(xplane::stat_double, value);
}
Message stat(Stat name, double value) { return stat(name, static_cast<int64_t>(value)); }
Message stat(Stat name, std::string_view value) {
  return Message()
      .integer(xplane::stat_metadata_id, static_cast<int64_t>(name))
      .bytes(xplane::stat_text, value);
}

// "dot_general" of "dot_general f32[32,128]", "fused" of "fused(add multiply) f32[8]".
std::string_view first_word(std::string_view name) {
  return name.substr(0, name.find_first_of(" ("));
}

// A plane of the device gives xprof's names; the host's what from_xplane() reads.
Message metadata_of(spans::WorkId id, const Work& work, bool is_device) {
  Message metadata;
  metadata.integer(xplane::metadata_id, id).bytes(xplane::metadata_name, work.name);
  // xprof takes ops that it shows by one name for one.
  const bool is_op = is_device && work.kind == WorkKind::op;
  metadata.bytes(xplane::metadata_display_name,
                 is_op ? str(first_word(work.name), ".", id) : work.name);
  const auto add = [&](const Message& one) { metadata.message(xplane::metadata_stats, one); };
  add(stat(Stat::kind, static_cast<int64_t>(work.kind)));
  if (!work.layer.empty()) add(stat(Stat::layer, work.layer));
  if (work.flops > 0) add(stat(Stat::flops, work.flops));
  if (work.bytes > 0) add(stat(Stat::bytes, work.bytes));
  if (work.line > 0) {
    add(stat(Stat::source, is_device ? str(work.file, ":", work.line) : work.file));
    add(stat(Stat::line, int64_t{work.line}));
  }
  if (work.member_of != spans::no_work) add(stat(Stat::member_of, int64_t{work.member_of}));
  if (is_op) {
    add(stat(Stat::tf_op, str(work.layer, "/", first_word(work.name))));
    add(stat(Stat::hlo_category, first_word(work.name)));
    // What xprof's tables of ops go by: ops without them are in none.
    add(natural_stat(Stat::program_id, 1));
    add(natural_stat(Stat::symbol_id, static_cast<uint64_t>(id)));
  }
  return metadata;
}

Message event_of(const spans::RecordedSpan& span, spans::WorkId metadata) {
  Message event;
  event.integer(xplane::event_metadata_id, metadata)
      .integer(xplane::event_offset_ps, span.begin_ns * picoseconds)
      .integer(xplane::event_duration_ps, (span.end_ns - span.begin_ns) * picoseconds);
  if (span.is_share) event.message(xplane::event_stats, stat(Stat::share, int64_t{1}));
  if (span.number >= 0) event.message(xplane::event_stats, stat(Stat::number, span.number));
  return event;
}

class PlaneWriter {
 public:
  PlaneWriter(const Profile& profile, int64_t id, std::string_view name)
      : profile_(profile),
        begin_ns_(static_cast<int64_t>(profile.recorded.begin_time * 1e9)),
        is_device_(id > 0),
        used_(profile.recorded.works.size(), false) {
    plane_.integer(xplane::plane_id, id).bytes(xplane::plane_name, name);
  }

  void add(const Message& stat) { plane_.message(xplane::plane_stats, stat); }

  void add_line(int64_t id, std::string_view name, std::span<const spans::RecordedSpan> spans) {
    Message line;
    line.integer(xplane::line_id, id)
        .bytes(xplane::line_name, name)
        .integer(xplane::line_timestamp_ns, begin_ns_)
        .bytes(xplane::line_display_name, name);
    for (const auto& span : spans) {
      used_[static_cast<size_t>(span.work)] = true;
      line.message(xplane::line_events, event_of(span, span.work));
    }
    plane_.message(xplane::plane_lines, line);
  }

  const Message& finish() {
    for (size_t i = 1; i < used_.size(); ++i) use_container(i);
    for (size_t i = 1; i < used_.size(); ++i) {
      if (!used_[i]) continue;
      const auto id = static_cast<spans::WorkId>(i);
      add_to_map(xplane::plane_event_metadata, id, metadata_of(id, profile_.work(id), is_device_));
    }
    for (size_t i = 1; i < xplane::stat_names.size(); ++i) {
      const auto id = static_cast<int64_t>(i);
      add_to_map(xplane::plane_stat_metadata, id,
                 Message()
                     .integer(xplane::metadata_id, id)
                     .bytes(xplane::metadata_name, xplane::stat_names[i]));
    }
    return plane_;
  }

 private:
  void use_container(size_t member) {
    if (!used_[member]) return;
    const spans::WorkId whole = profile_.recorded.works[member].member_of;
    used_[static_cast<size_t>(whole)] = used_[static_cast<size_t>(whole)] || whole > 0;
  }

  void add_to_map(uint32_t field, int64_t key, const Message& value) {
    plane_.message(field,
                   Message().integer(xplane::map_key, key).message(xplane::map_value, value));
  }

  const Profile& profile_;
  const int64_t begin_ns_;
  const bool is_device_;
  std::vector<bool> used_;
  Message plane_;
};

Message host_plane(const Profile& profile) {
  PlaneWriter plane(profile, 0, xplane::host_plane);
  for (const auto& thread : profile.recorded.threads) {
    plane.add_line(thread.id, thread.name, thread.spans);
  }
  plane.add(stat(Stat::program, profile.program));
  plane.add(stat(Stat::process, profile.process));
  plane.add(stat(Stat::platform, profile.platform));
  plane.add(stat(Stat::device_kind, profile.device_kind));
  plane.add(stat(Stat::cores, int64_t{profile.cores}));
  plane.add(stat(Stat::peak_flops, profile.peak_flops));
  plane.add(stat(Stat::peak_bytes, profile.peak_bytes));
  plane.add(stat(Stat::lost, profile.recorded.lost));
  plane.add(stat(Stat::duration_ns, profile.recorded.duration_ns));
  return plane.finish();
}

Message device_plane(const Profile& profile, const DeviceCore& core, int64_t id) {
  const int64_t number = std::max<int64_t>(core.core, 0);
  PlaneWriter plane(profile, id, str("/device:TPU:", number));
  plane.add_line(1, "Steps", core.steps);
  plane.add_line(2, "XLA Modules", core.programs);
  plane.add_line(3, "XLA Ops", core.ops);
  plane.add(stat(Stat::device_type, str(profile.platform, " ", profile.device_kind)));
  const int cores = core.core < 0 ? profile.cores : 1;
  plane.add(stat(Stat::cores, int64_t{cores}));
  plane.add(real_stat(Stat::peak_teraflops, cores * profile.peak_flops / 1e12));
  plane.add(real_stat(Stat::peak_gigabytes, cores * profile.peak_bytes / 1e9));
  return plane.finish();
}

}  // namespace

std::string to_xplane(const Profile& profile) {
  Message space;
  space.message(xplane::space_planes, host_plane(profile));
  int64_t id = 0;
  for (const DeviceCore& core : device_cores(profile)) {
    space.message(xplane::space_planes, device_plane(profile, core, ++id));
  }
  space.bytes(xplane::space_hostnames, profile.host);
  return space.data();
}

}  // namespace monitor
}  // namespace systolic::inline v0
