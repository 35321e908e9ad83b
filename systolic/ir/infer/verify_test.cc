#include "systolic/ir/infer/verify.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using namespace ir;

// x -> if (p) x + x else x, with the op that names everything at ops[0].
Module good() {
  Module module;
  module.num_partitions = 8;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.location = {"model.cc", 3};
  const Value x = b.argument({DType::f32, {16, 4}}), p = b.argument({DType::pred, {}});
  b.result(if_else(
      p, [&] { return std::vector<Value>{x + x}; }, [&] { return std::vector<Value>{x}; })[0]);
  return module;
}

struct Case {
  const char* message;
  std::function<void(Module&)> damage;
};

const std::vector<Case> cases{
    {"has no function", [](Module& m) { m.functions.clear(); }},
    {"0 replicas", [](Module& m) { m.num_replicas = 0; }},
    {"are called 'main'", [](Module& m) { m.functions.push_back(m.functions[0]); }},
    {"names value 77", [](Module& m) { m.main().body.ops[0].operands[0] = 77; }},
    {"uses value 3 before it is defined",
     [](Module& m) { m.main().body.ops[0].operands[0] = m.main().body.ops[0].results[0]; }},
    {"uses value 2 of a region that has ended",
     [](Module& m) {
       m.main().body.results[0] = m.main().body.ops[0].regions[0].ops[0].results[0];
     }},
    {"defines value 0 a second time", [](Module& m) { m.main().body.ops[0].results[0] = 0; }},
    {"if gives (i32[16,4])",
     [](Module& m) {
       m.main().types[3] = {DType::i32, {16, 4}};
     }},
    {"sizes of 0 or more",
     [](Module& m) {
       m.main().types[3] = {DType::f32, {-1}};
     }},
    {"2 arguments and 1 descriptions", [](Module& m) { m.main().arguments.pop_back(); }},
    {"donated to result 5", [](Module& m) { m.main().arguments[0].aliases_result = 5; }},
    {"pred[] is donated to result 0", [](Module& m) { m.main().arguments[1].aliases_result = 0; }},
    {"the sharding of argument 0: axis 1 of an array (16, 4) cannot be split over 8 cores",
     [](Module& m) { m.main().arguments[0].sharding = Sharding::along(1, 2, 8); }},
    {"the sharding of argument 0: a sharding of 1 axes",
     [](Module& m) { m.main().arguments[0].sharding = Sharding{{8}}; }},
    {"the sharding of result 0: an array (16, 4) in 16 parts on 8 cores",
     [](Module& m) {
       m.main().results[0].sharding = Sharding{{16, 1}};
     }},
};

TEST(Verify, AcceptsAGoodModule) { EXPECT_NO_THROW(verify(good())); }

TEST(Verify, NamesEachFault) {
  for (const Case& row : cases) {
    Module module = good();
    row.damage(module);
    try {
      verify(module);
      ADD_FAILURE() << row.message << " was not found";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(row.message), std::string::npos) << error.what();
    }
  }
}

TEST(Verify, NamesTheLine) {
  Module module = good();
  module.main().body.ops[0].operands[0] = 3;
  try {
    verify(module);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("model.cc:3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace systolic
