#include "systolic/ir/clone.h"

#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/structure_key.h"

namespace systolic {
namespace {

using namespace ir;

Module two_functions(std::string callee, std::string inner_callee = "") {
  Module module;
  module.functions.resize(2);
  module.functions[1].name = "square";
  Builder f(module.functions[1], &module);
  Value x = f.argument({DType::f32, {2}});
  f.result(x * x);
  if (!inner_callee.empty()) {
    f.append(OpCode::call, {&x, 1}, CallAttributes{inner_callee}, {}, {});
  }
  Builder b(module.main(), &module);
  const Value y = b.argument({DType::f32, {2}});
  const Value z = b.append_one(OpCode::call, {y}, CallAttributes{callee});
  b.result(b.append_one(OpCode::call, {z}, CallAttributes{callee}));
  return module;
}

TEST(Clone, InlinesCalls) {
  const Module flat = inline_calls(two_functions("square"));
  ASSERT_EQ(flat.functions.size(), 1u);
  const Block& body = flat.main().body;
  ASSERT_EQ(body.ops.size(), 2u);
  EXPECT_EQ(body.ops[0].code, OpCode::multiply);
  EXPECT_EQ(body.ops[1].operands[0], body.ops[0].results[0]);
  EXPECT_EQ(body.results[0], body.ops[1].results[0]);
}

TEST(Clone, RefusesRecursion) {
  EXPECT_THROW(inline_calls(two_functions("square", "square")), InvalidArgument);
}

TEST(Clone, CopiesRegionsWithCapturedValues) {
  Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  const Value limit = b.argument({DType::f32, {}}), x = b.argument({DType::f32, {}});
  while_loop(
      std::vector<Value>{x},
      [&](std::span<const Value> s) { return compare(s[0], limit, Direction::lt); },
      [](std::span<const Value> s) { return std::vector<Value>{s[0] + s[0]}; });
  const Op& loop = module.main().body.ops[0];
  EXPECT_EQ(values_read(loop), (std::vector<ValueId>{x.id(), limit.id()}));

  Function target;
  ValueMap map(module.main().types.size());
  map.set(limit.id(), target.add_argument({DType::f32, {}}));
  map.set(x.id(), target.add_argument({DType::f32, {}}));
  clone_op(loop, module.main(), target, target.body, map);
  EXPECT_EQ(values_read(target.body.ops[0]), (std::vector<ValueId>{1, 0}));
  EXPECT_EQ(target.type(target.body.ops[0].results[0]), (Type{DType::f32, {}}));
}

Module program(double factor, int line, bool extra_value, Direction direction = Direction::lt) {
  Module module;
  module.functions.emplace_back();
  if (extra_value) module.main().new_value({DType::f32, {}});
  Builder b(module.main());
  b.location = {"a.cc", line};
  const Value x = b.argument({DType::f32, {2}});
  b.result(select(compare(x, factor, direction), x, -x));
  return module;
}

TEST(StructureKey, IgnoresNamesLocationsAndNumbering) {
  EXPECT_EQ(structure_key(program(2, 1, false)), structure_key(program(2, 9, true)));
}

TEST(StructureKey, SeesConstantsAttributesAliasesAndCores) {
  const std::string key = structure_key(program(2, 1, false));
  EXPECT_NE(key, structure_key(program(3, 1, false)));
  EXPECT_NE(key, structure_key(program(2, 1, false, Direction::gt)));
  Module aliased = program(2, 1, false);
  aliased.main().arguments[0].aliases_result = 0;
  EXPECT_NE(key, structure_key(aliased));
  Module uniform = program(2, 1, false);
  uniform.main().arguments[0].uniform = true;
  EXPECT_NE(key, structure_key(uniform));
  Module replicated = program(2, 1, false);
  replicated.num_replicas = 8;
  EXPECT_NE(key, structure_key(replicated));
}

TEST(StructureKey, SeesWhichProductsAreOfGradients) {
  const auto key_of_product = [](bool of_gradient) {
    Module module;
    module.functions.emplace_back();
    Builder b(module.main());
    const Value x = b.argument({DType::f32, {2}});
    DotAttributes outer;
    outer.of_gradient = of_gradient;
    b.result(dot_general(x, x, outer));
    return structure_key(module);
  };
  EXPECT_NE(key_of_product(true), key_of_product(false));
}

TEST(LabelKey, SeesWhatAnExecutableReports) {
  const Module module = program(2, 1, false);
  const std::string key = label_key(module);
  EXPECT_EQ(key, label_key(program(3, 1, true)));  // ops and numbers are the structure's
  const std::pair<const char*, std::function<void(Module&)>> changes[] = {
      {"name", [](Module& m) { m.name = "train_step"; }},
      {"file", [](Module& m) { m.main().body.ops[0].location.file = "b.cc"; }},
      {"line", [](Module& m) { m.main().body.ops.back().location.line = 2; }},
      {"layer", [](Module& m) { m.main().body.ops[0].layer_path = "net/dense"; }},
      {"argument", [](Module& m) { m.main().arguments[0].name = "dense/kernel"; }},
      {"role", [](Module& m) { m.main().arguments[0].role = Role::parameter; }},
      {"result", [](Module& m) { m.main().results[0].name = "loss"; }},
  };
  for (const auto& [name, change] : changes) {
    Module changed = module;
    change(changed);
    EXPECT_NE(label_key(changed), key) << name;
    EXPECT_EQ(structure_key(changed), structure_key(module)) << name;
  }
}

TEST(LabelKey, SeesLinesInRegions) {
  const auto loop = [](int line) {
    Module module;
    module.functions.emplace_back();
    Builder b(module.main());
    b.location = {"a.cc", 1};
    const Value x = b.argument({DType::f32, {}});
    while_loop(
        std::vector<Value>{x},
        [&](std::span<const Value> s) { return compare(s[0], 9, Direction::lt); },
        [&](std::span<const Value> s) {
          b.location = {"a.cc", line};
          const Value next = s[0] + s[0];
          b.location = {"a.cc", 1};
          return std::vector<Value>{next};
        });
    return module;
  };
  EXPECT_EQ(label_key(loop(3)), label_key(loop(3)));
  EXPECT_NE(label_key(loop(3)), label_key(loop(4)));
}

}  // namespace
}  // namespace systolic
