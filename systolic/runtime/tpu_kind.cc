#include "systolic/runtime/tpu_kind.h"

#include <array>
#include <string>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t gibibyte = int64_t{1} << 30;
constexpr double tera = 1e12;
constexpr double giga = 1e9;

// Figures per core: v2, v3 and tpu7x show two cores a chip, so half of what the chip has.
constexpr std::array<TpuGeneration, 7> generations = {{
    {"v2", "TPU v2", 2, 8 * gibibyte, 22.5 * tera, 350 * giga, 128},
    {"v3", "TPU v3", 2, 16 * gibibyte, 61.5 * tera, 450 * giga, 128},
    {"v4", "TPU v4", 1, 32 * gibibyte, 275 * tera, 1228 * giga, 128},
    {"v5e", "TPU v5 lite", 1, 16 * gibibyte, 197 * tera, 819 * giga, 128},
    {"v5p", "TPU v5", 1, 95 * gibibyte, 459 * tera, 2765 * giga, 128},
    {"v6e", "TPU v6 lite", 1, 32 * gibibyte, 918 * tera, 1640 * giga, 256},
    {"tpu7x", "TPU7x", 2, 96 * gibibyte, 1153.5 * tera, 3690 * giga, 256},
}};

struct Alias {
  std::string_view spelling;
  std::string_view generation;
};
constexpr std::array<Alias, 5> aliases = {{
    {"v5litepod", "v5e"},
    {"v5lite", "v5e"},
    {"v6", "v6e"},
    {"v7x", "tpu7x"},
    {"v7", "tpu7x"},
}};

// Chips of the slices that are sold, and how they are wired. A name counts `named_per_chip` a chip:
// v4 and v5p names count the two halves of a chip although programs see one core.
struct Slice {
  int chips;
  std::string_view topology;
};
constexpr std::array<Slice, 10> flat_slices = {{{1, "1x1"},
                                                {4, "2x2"},
                                                {8, "2x4"},
                                                {16, "4x4"},
                                                {32, "4x8"},
                                                {64, "8x8"},
                                                {128, "8x16"},
                                                {256, "16x16"},
                                                {512, "16x32"},
                                                {1024, "32x32"}}};
// The last two are v5p's alone.
constexpr std::array<Slice, 12> cube_slices = {{{4, "2x2x1"},
                                                {8, "2x2x2"},
                                                {16, "2x2x4"},
                                                {32, "2x4x4"},
                                                {64, "4x4x4"},
                                                {128, "4x4x8"},
                                                {256, "4x8x8"},
                                                {512, "8x8x8"},
                                                {1024, "8x8x16"},
                                                {2048, "8x16x16"},
                                                {4096, "16x16x16"},
                                                {6144, "16x16x24"}}};

bool is_cube(const TpuGeneration& generation) {
  return generation.name == "v4" || generation.name == "v5p" || generation.name == "tpu7x";
}

std::span<const Slice> slices(const TpuGeneration& generation) {
  if (!is_cube(generation)) return flat_slices;
  const std::span<const Slice> all = cube_slices;
  return generation.name == "v5p" ? all : all.first(all.size() - 2);
}

int named_per_chip(const TpuGeneration& generation) {
  return generation.name == "v5e" || generation.name == "v6e" ? 1 : 2;
}

const TpuGeneration* find_generation(std::string_view name) {
  for (const Alias& alias : aliases) {
    if (name == alias.spelling) name = alias.generation;
  }
  for (const TpuGeneration& generation : generations) {
    if (name == generation.name) return &generation;
  }
  return nullptr;
}

std::string slice_name(const TpuGeneration& generation, int chips) {
  return str(generation.name, "-", chips * named_per_chip(generation));
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const TpuGeneration& generation : generations) {
    for (const Slice& slice : slices(generation)) {
      names.push_back(slice_name(generation, slice.chips));
    }
  }
  for (const char* spelling : {"v5litepod-1", "v5litepod-4", "v5litepod-8", "v5litepod-16"}) {
    names.emplace_back(spelling);
  }
  return names;
}

[[noreturn]] void raise_unknown(std::string_view name, SourceLocation location) {
  std::vector<std::string> generation_names;
  for (const TpuGeneration& generation : generations) {
    generation_names.emplace_back(generation.name);
  }
  const std::vector<std::string> closest = closest_names(name, known_names());
  raise<InvalidArgument>(
      {.what = str("there is no TPU '", name, "'"),
       .wanted = str("a generation (", join(generation_names),
                     ") with a size such as v3-8, or a topology such as v5e:2x4"),
       .hint = closest.empty() ? "" : str("did you mean ", join(closest, " or ")),
       .location = location});
}

[[noreturn]] void raise_size(const TpuGeneration& generation, std::string_view name,
                             SourceLocation location) {
  std::vector<std::string> names;
  for (const Slice& slice : slices(generation)) {
    names.push_back(slice_name(generation, slice.chips));
  }
  raise<InvalidArgument>({.what = str("a ", generation.device_kind, " slice '", name, "'"),
                          .wanted = str("one of ", join(names), ", or a topology such as ",
                                        generation.name, ":", slices(generation)[1].topology),
                          .location = location});
}

TpuKind make_kind(const TpuGeneration& generation, int chips, std::string_view topology) {
  return {.name = slice_name(generation, chips),
          .topology = str(generation.name, ":", topology),
          .generation = generation,
          .chips = chips};
}

TpuKind parse_size(const TpuGeneration& generation, std::string_view size, std::string_view name,
                   SourceLocation location) {
  int64_t count = 0;
  if (!parse_number(size, count)) raise_size(generation, name, location);
  for (const Slice& slice : slices(generation)) {
    if (slice.chips * named_per_chip(generation) == count) {
      return make_kind(generation, slice.chips, slice.topology);
    }
  }
  raise_size(generation, name, location);
}

// "2x4", "2x2x1": as many axes as the generation has, each from 1 to 64.
TpuKind parse_topology(const TpuGeneration& generation, std::string_view topology,
                       std::string_view name, SourceLocation location) {
  const std::vector<std::string> axes = split(topology, 'x');
  int64_t chips = 1;
  bool valid = axes.size() == (is_cube(generation) ? 3u : 2u);
  for (const std::string& axis : axes) {
    int64_t size = 0;
    valid = valid && parse_number(axis, size) && size >= 1 && size <= 64;
    chips *= valid ? size : 1;
  }
  if (!valid) raise_size(generation, name, location);
  return make_kind(generation, static_cast<int>(chips), topology);
}

}  // namespace

std::span<const TpuGeneration> tpu_generations() { return generations; }

TpuKind parse_tpu_kind(std::string_view name, SourceLocation location) {
  const size_t mark = name.find_first_of("-:");
  if (mark == std::string_view::npos) raise_unknown(name, location);
  const TpuGeneration* generation = find_generation(name.substr(0, mark));
  if (generation == nullptr) raise_unknown(name, location);
  const std::string_view rest = name.substr(mark + 1);
  return name[mark] == '-' ? parse_size(*generation, rest, name, location)
                           : parse_topology(*generation, rest, name, location);
}

}  // namespace systolic::inline v0
