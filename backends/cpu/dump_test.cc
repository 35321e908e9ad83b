#include "backends/cpu/dump.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "backends/cpu/client.h"
#include "systolic/base/text.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

// What compiling writes: texts by the files' names, without the program's number.
std::map<std::string, std::string> dumped(const ir::Module& module, int cores) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / str("dump_test_", ::getpid());
  std::filesystem::remove_all(folder);
  ::setenv("SYSTOLIC_DUMP", folder.c_str(), 1);
  cpu::open_software_tpu("v3-8", cores)->compile(module, {.name = "a step"});
  ::unsetenv("SYSTOLIC_DUMP");
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string name = entry.path().filename().string();
    texts[name.substr(name.find('_') + 1)] = text.str();
  }
  std::filesystem::remove_all(folder);
  return texts;
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& texts) {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts) names.push_back(name);
  return names;
}

TEST(Dump, HasEachStageAndThePassesThatChangeSomething) {
  ir::Module module;
  module.functions.emplace_back();
  ir::Builder b(module.main());
  const ir::Value x = b.argument({DType::f32, {4, 3}});
  b.result(ir::slice(ir::unary(ir::OpCode::exponential, x), {0, 0}, {1, 3}));
  auto texts = dumped(module, 1);
  const std::string narrowed = "a_step.pass_11_narrow_values.mlir";
  EXPECT_EQ(names_of(texts),
            (std::vector<std::string>{"a_step.0_traced.mlir", "a_step.1_simplified.mlir",
                                      "a_step.2_plan.txt", narrowed}));
  EXPECT_NE(texts["a_step.0_traced.mlir"].find("exponential %arg0 : tensor<4x3xf32>"),
            std::string::npos)
      << texts["a_step.0_traced.mlir"];
  EXPECT_EQ(texts[narrowed], texts["a_step.1_simplified.mlir"]);
}

TEST(Dump, StacksProgramsOfThePerCoreForm) {
  ir::Module module;
  module.num_replicas = 2;
  module.functions.emplace_back();
  ir::Builder b(module.main());
  const ir::Value x = b.argument({DType::f32, {3}});
  b.result(x + x);
  EXPECT_EQ(names_of(dumped(module, 2)),
            (std::vector<std::string>{"a_step.0_traced.mlir", "a_step.1_stacked.mlir",
                                      "a_step.2_simplified.mlir", "a_step.3_plan.txt"}));
}

}  // namespace
}  // namespace systolic
