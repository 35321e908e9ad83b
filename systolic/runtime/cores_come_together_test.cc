#include "systolic/runtime/cores_come_together.h"

#include <gtest/gtest.h>

#include <array>

#include "systolic/base/test_errors.h"
#include "systolic/ir/core_groups.h"

namespace systolic {
namespace {

ir::CustomCallAttributes call_of(std::vector<int64_t> groups) {
  Literal numbers(DType::i64, {static_cast<int64_t>(groups.size())});
  std::copy(groups.begin(), groups.end(), numbers.mutable_data<int64_t>().begin());
  return {.call_target_name = ir::cores_come_together,
          .options = {{"collective", std::string("all_reduce")}, {"groups", std::move(numbers)}}};
}

void run(const ir::CustomCallAttributes& call, std::array<bool, 4> comes, int64_t cores = 4) {
  const CustomArray mask{{DType::pred, {cores}}, reinterpret_cast<std::byte*>(comes.data())};
  make_custom_function(call)->run({&mask, 1}, {});
}

TEST(CoresComeTogether, HoldsWhereGroupsAreWhole) {
  const auto call = call_of({0, 1, 0, 1});
  for (const auto& comes :
       {std::array{true, true, true, true}, std::array{true, false, true, false},
        std::array{false, false, false, false}}) {
    EXPECT_NO_THROW(run(call, comes));
  }
}

TEST(CoresComeTogether, NamesTheCoresOfASplitGroup) {
  EXPECT_CONTAINS(message_of<InvalidArgument>([] {
                    run(call_of({0, 1, 0, 1}), {false, true, false, false});
                  }),
                  "cores diverge at all_reduce: core 1 comes to it, but core 3, ");
}

// A program may call it by its name.
TEST(CoresComeTogether, RefusesAnotherCall) {
  EXPECT_CONTAINS(message_of<InvalidArgument>([] { run(call_of({0, 1}), {}); }), "'operand'");
  auto call = call_of({0, 1, 2, 3});
  call.options[1].value = std::string("0");
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { make_custom_function(call); }), "'groups'");
  call.options.clear();
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { make_custom_function(call); }), "'collective'");
}

}  // namespace
}  // namespace systolic
