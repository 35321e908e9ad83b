#include "systolic/runtime/tpu_kind.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "systolic/base/error.h"

namespace systolic {
namespace {

struct Row {
  const char* spelling;
  const char* name;
  const char* topology;
  int chips;
  int cores;
};

TEST(TpuKind, KnowsTheSpellingsOfASlice) {
  const Row rows[] = {
      {"v2-8", "v2-8", "v2:2x2", 4, 8},
      {"v3-8", "v3-8", "v3:2x2", 4, 8},
      {"v3:2x2", "v3-8", "v3:2x2", 4, 8},
      {"v3-32", "v3-32", "v3:4x4", 16, 32},
      {"v4-8", "v4-8", "v4:2x2x1", 4, 4},
      {"v4:2x2x2", "v4-16", "v4:2x2x2", 8, 8},
      {"v5e-8", "v5e-8", "v5e:2x4", 8, 8},
      {"v5litepod-8", "v5e-8", "v5e:2x4", 8, 8},
      {"v5e:2x4", "v5e-8", "v5e:2x4", 8, 8},
      {"v5e-1", "v5e-1", "v5e:1x1", 1, 1},
      {"v5p-8", "v5p-8", "v5p:2x2x1", 4, 4},
      {"v5p-12288", "v5p-12288", "v5p:16x16x24", 6144, 6144},
      {"v3-2048", "v3-2048", "v3:32x32", 1024, 2048},
      {"v5e-256", "v5e-256", "v5e:16x16", 256, 256},
      {"v6e-256", "v6e-256", "v6e:16x16", 256, 256},
      {"v6e-4", "v6e-4", "v6e:2x2", 4, 4},
      {"tpu7x:2x2x1", "tpu7x-8", "tpu7x:2x2x1", 4, 8},
      {"v7x-8", "tpu7x-8", "tpu7x:2x2x1", 4, 8},
  };
  for (const Row& row : rows) {
    const TpuKind kind = parse_tpu_kind(row.spelling);
    EXPECT_EQ(kind.name, row.name) << row.spelling;
    EXPECT_EQ(kind.topology, row.topology) << row.spelling;
    EXPECT_EQ(kind.chips, row.chips) << row.spelling;
    EXPECT_EQ(kind.cores(), row.cores) << row.spelling;
    EXPECT_EQ(parse_tpu_kind(kind.topology).name, row.name) << row.spelling;
  }
}

TEST(TpuKind, HoldsPublishedFigures) {
  const TpuGeneration v3 = parse_tpu_kind("v3-8").generation;
  EXPECT_EQ(v3.memory_bytes_per_core, int64_t{16} << 30);
  EXPECT_DOUBLE_EQ(v3.peak_bf16_flops_per_core * v3.cores_per_chip, 123e12);
  EXPECT_DOUBLE_EQ(v3.memory_bandwidth_per_core * v3.cores_per_chip, 900e9);
  EXPECT_EQ(parse_tpu_kind("v6e-8").generation.matrix_unit, 256);
  std::set<std::string_view> names;
  for (const TpuGeneration& generation : tpu_generations()) names.insert(generation.device_kind);
  EXPECT_EQ(names.size(), tpu_generations().size());
}

TEST(TpuKind, SaysWhatThereIs) {
  const struct {
    const char* spelling;
    const char* part;
  } rows[] = {
      {"", "v3-8"},
      {"v3", "v3-8"},
      {"v9-8", "v2, v3, v4, v5e, v5p, v6e, tpu7x"},
      {"v5litpod-8", "v5litepod-8"},
      {"v3-7", "v3-8"},
      {"v3-8x", "v3-32"},
      {"v5e:2", "v5e:2x2"},
      {"v5e:0x4", "v5e-4"},
      {"v4:2x2", "v4:2x2x2"},
      {"v4-8192", "v4-4096"},
      {"v5e:99999999999x2", "v5e-1"},
  };
  for (const auto& row : rows) {
    try {
      parse_tpu_kind(row.spelling);
      ADD_FAILURE() << row.spelling;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(row.part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace systolic
