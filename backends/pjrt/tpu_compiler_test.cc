// Compiling in a child, with the fake plugin as the compiler. tests/tpu has the real one.
#include "backends/pjrt/tpu_compiler.h"

#include <gtest/gtest.h>

#include "backends/pjrt/fake_plugin_test.h"
#include "systolic/base/test_errors.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using runtime::TpuCompileOptions;

TEST(TpuCompiler, ReadsHowManyCoresAModuleIsFor) {
  const std::string text =
      "module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas=2 : i32} {\n"
      "  func.func public @main() attributes {mhlo.other = 3 : i32}";
  EXPECT_EQ(pjrt::declared_count(text, "mhlo.num_partitions"), 8);
  EXPECT_EQ(pjrt::declared_count(text, "mhlo.num_replicas"), 2);
  EXPECT_EQ(pjrt::declared_count(text, "mhlo.other"), 1);  // not the module's
  EXPECT_EQ(pjrt::declared_count("module @m {", "mhlo.num_replicas"), 1);
  EXPECT_EQ(pjrt::declared_count("mhlo.num_replicas = x", "mhlo.num_replicas"), 1);
  EXPECT_EQ(pjrt::declared_count("mhlo.num_replicas", "mhlo.num_replicas"), 1);
}

std::string message_for(const std::string& text, const TpuCompileOptions& options) {
  return message_of([&] { pjrt::compile_text_for_tpu(text, options); });
}

TEST(TpuCompiler, RefusesWhatCannotBeBeforeAnyPluginSeesIt) {
  const std::string text = "module @m attributes {mhlo.num_replicas = 9 : i32} { func.func";
  EXPECT_NE(message_for(text, {.topology = "v3-8", .library = "nowhere.so"})
                .find("program 'program' is for 9 x 1 cores, expected 1 to 8"),
            std::string::npos);
  EXPECT_NE(message_for("", {.topology = "v9-8", .library = "nowhere.so"}).find("there is no TPU"),
            std::string::npos);
  const std::string missing = message_for("", {.library = "nowhere.so", .name = "step"});
  EXPECT_NE(missing.find("compiling 'step' for v3-8: there is no PJRT plugin 'nowhere.so'"),
            std::string::npos)
      << missing;

  ir::Module module;
  module.num_replicas = 2;
  module.functions.emplace_back();
  ir::Builder b(module.main(), &module);
  const ir::Value x = b.argument({DType::f32, {4}});
  b.result(all_reduce(x, ir::OpCode::add));
  auto& groups = std::get<ir::CollectiveAttributes>(module.main().body.ops.back().attributes);
  groups.replica_groups = {{0, 7}};
  const std::string group = message_of<InvalidArgument>(
      [&] { pjrt::compile_module_for_tpu(module, {.library = "nowhere.so"}); });
  EXPECT_NE(group.find("replica_groups"), std::string::npos) << group;
}

TEST(TpuCompiler, SaysWhereThePluginStopped) {
  FakePlugin fake;
  // The fake knows no devices of topologies.
  const std::string text = message_for("func.func", {.library = fake.path()});
  EXPECT_NE(text.find("compiling 'program' for v3-8: "), std::string::npos) << text;
  EXPECT_NE(text.find("has no PJRT_TopologyDescription_GetDeviceDescriptions"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace systolic
