// Numbers of the fields of xplane.proto, and the names of the stats that profiles have. Internal to
// profile.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {
namespace xplane {

// Message fields.
enum : uint32_t {
  space_planes = 1,
  space_hostnames = 4,
  plane_id = 1,
  plane_name = 2,
  plane_lines = 3,
  plane_event_metadata = 4,
  plane_stat_metadata = 5,
  plane_stats = 6,
  map_key = 1,
  map_value = 2,
  line_id = 1,
  line_name = 2,
  line_timestamp_ns = 3,
  line_events = 4,
  line_display_name = 11,
  event_metadata_id = 1,
  event_offset_ps = 2,
  event_duration_ps = 3,
  event_stats = 4,
  stat_metadata_id = 1,
  stat_double = 2,
  stat_uint64 = 3,
  stat_int64 = 4,
  stat_text = 5,
  metadata_id = 1,
  metadata_name = 2,
  metadata_display_name = 4,
  metadata_stats = 5,
};

// Each is its own metadata of stats; its number is that of the metadata.
enum class Stat : uint8_t {
  none,
  kind,
  layer,
  source,
  line,
  flops,
  bytes,
  member_of,
  share,
  number,
  tf_op,
  hlo_category,
  program,
  process,
  platform,
  device_kind,
  cores,
  peak_flops,
  peak_bytes,
  lost,
  duration_ns,
  device_type,
  program_id,
  symbol_id,
  peak_teraflops,
  peak_gigabytes,
  count
};
// By Stat. Those of xprof's own are spelled as it spells them.
inline constexpr std::array<std::string_view, static_cast<size_t>(Stat::count)> stat_names = {
    "",
    "kind",
    "layer",
    "source",
    "source_line",
    "flops",
    "bytes_accessed",
    "member_of",
    "share",
    "number",
    "tf_op",
    "hlo_category",
    "program",
    "process",
    "platform",
    "device_kind",
    "cores",
    "peak_flops",
    "peak_bytes",
    "lost_spans",
    "duration_ns",
    "device_type_string",
    "program_id",
    "symbol_id",
    "peak_teraflops_per_second",
    "peak_hbm_bw_gigabytes_per_second"};

inline constexpr std::string_view host_plane = "/host:CPU";

}  // namespace xplane
}  // namespace monitor
}  // namespace systolic::inline v0
