// Which form the lookups of an embedding have in what a TPU's compiler is given, by the rows of its
// table, and that the compiler's figures follow.
#include "backends/pjrt/lookup_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "systolic/ir/builder/builder.h"
#include "systolic/runtime/tpu_compiler.h"

namespace systolic {
namespace {

constexpr int64_t count = 256, width = 128;

ir::Module lookup(int64_t rows) {
  ir::Module module;
  module.name = "lookup";
  module.functions.emplace_back();
  ir::Builder b(module.main());
  const ir::Value table = b.argument({DType::f32, {rows, width}});
  const ir::Value ids = b.argument({DType::i32, {count, 1}});
  b.result(ir::gather(table, ids, {{1}, {0}, {}, {}, {0}, 1, {1, width}}));
  return module;
}

bool multiplies(const ir::Module& module) {
  const std::vector<ir::Op>& ops = module.main().body.ops;
  return std::any_of(ops.begin(), ops.end(),
                     [](const ir::Op& op) { return op.code == ir::OpCode::dot_general; });
}

TEST(LookupForm, FollowsTheRowsOfTheTable) {
  const struct {
    const char* kind;
    int64_t most_rows;
  } rows[] = {{"v2-8", 192}, {"v3-8", 410}, {"v4-8", 671}, {"v5e-8", 721}, {"v6e-8", 1679}};
  for (const auto& [kind, most_rows] : rows) {
    const TpuGeneration generation = parse_tpu_kind(kind).generation;
    EXPECT_EQ(pjrt::most_rows_as_product(generation), most_rows) << kind;
    EXPECT_TRUE(multiplies(pjrt::in_lookup_form(lookup(most_rows), generation))) << kind;
    EXPECT_FALSE(multiplies(pjrt::in_lookup_form(lookup(most_rows + 1), generation))) << kind;
  }
}

TEST(LookupForm, IsLeftAloneForOtherDevices) {
  const TpuGeneration other{.name = "gpu",
                            .device_kind = "a gpu",
                            .cores_per_chip = 1,
                            .memory_bytes_per_core = 1,
                            .peak_bf16_flops_per_core = 0,
                            .memory_bandwidth_per_core = 0,
                            .matrix_unit = 0};
  EXPECT_FALSE(multiplies(pjrt::in_lookup_form(lookup(2), other)));
}

TEST(LookupForm, IsWhatTheTpusCompilerCompiles) {
  if (runtime::find_libtpu().empty()) {
    std::cerr
        << "NOT CHECKED BY THE TPU'S COMPILER: there is no libtpu.so; `./run fetch` gets it\n";
    GTEST_SKIP() << "no libtpu.so";
  }
  for (const char* topology : {"v3-8", "v5e:2x4"}) {
    for (const int64_t rows : {int64_t{256}, int64_t{2048}}) {
      const runtime::TpuProgram program = runtime::compile_for_tpu(
          lookup(rows), {.topology = topology, .effort = runtime::CompileEffort::o0});
      // A product is 2 operations for each number of the table and each lookup.
      const double product = 2.0 * static_cast<double>(rows * width * count);
      const double flops = program.cost.at("flops");
      EXPECT_EQ(flops >= product, rows == 256) << topology << " " << rows << ": " << flops;
    }
  }
}

}  // namespace
}  // namespace systolic
