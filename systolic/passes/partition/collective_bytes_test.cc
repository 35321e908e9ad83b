// Counted by hand.
#include "systolic/passes/partition/collective_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;
using passes::CollectiveBytes;
using Values = std::vector<Value>;

constexpr int64_t core_count = 8;

ir::Module program(int64_t replicas, int64_t partitions,
                   const std::function<void(Builder&)>& build) {
  ir::Module module;
  module.num_replicas = replicas;
  module.num_partitions = partitions;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  build(b);
  return module;
}

CollectiveBytes bytes_of(const std::function<void(Builder&)>& build) {
  return passes::collective_bytes(program(core_count, 1, build));
}

constexpr double array_bytes = 16.0 * 32 * 4;
Value an_array(Builder& b) { return b.argument({DType::f32, {16, 32}}); }

TEST(CollectiveBytes, AreThoseOfTheOperandsOnOneCore) {
  const CollectiveBytes bytes = bytes_of([](Builder& b) {
    const Value x = an_array(b);
    b.result(ir::all_reduce(x, ir::OpCode::add));
    b.result(ir::all_gather(x, 0, core_count));
    b.result(x + x);
  });
  EXPECT_EQ(bytes.once, 2 * array_bytes);
  EXPECT_EQ(bytes.each_round, 0);
}

// The gradient of weights, which every core has a part of: [32, 16] in f32 is added up.
TEST(CollectiveBytes, ProgramsOverWholeArraysAreCutFirst) {
  const ir::Module step = program(1, core_count, [](Builder& b) {
    const ir::Sharding rows = ir::Sharding::along(0, 2, core_count);
    const Value x = b.argument({DType::f32, {64, 32}}, {.sharding = rows});
    const Value dy = b.argument({DType::f32, {64, 16}}, {.sharding = rows});
    b.result(ir::dot(ir::transpose(x, {1, 0}), dy));
  });
  EXPECT_EQ(passes::collective_bytes(step).once, 32.0 * 16 * 4);
  // Rows by themselves need nothing of the others.
  const ir::Module rows_apart = program(1, core_count, [](Builder& b) {
    const ir::Sharding rows = ir::Sharding::along(0, 2, core_count);
    const Value x = b.argument({DType::f32, {64, 32}}, {.sharding = rows});
    b.result(x * x, {.sharding = rows});
  });
  EXPECT_EQ(passes::collective_bytes(rows_apart).once, 0);
}

TEST(CollectiveBytes, OfOneCoreAreNone) {
  EXPECT_EQ(passes::collective_bytes(program(1, 1, [](Builder& b) { b.result(an_array(b)); })).once,
            0);
}

// A loop from 0 to `rounds` that sums its array over the cores in each round.
Value loop(Builder& b, Value rounds, Value x) {
  const Value zero = b.filled(DType::i32, {}, 0);
  return ir::while_loop(
      Values{zero, x},
      [&](std::span<const Value> s) { return ir::compare(s[0], rounds, ir::Direction::lt); },
      [&](std::span<const Value> s) {
        return Values{s[0] + 1.0, ir::all_reduce(s[1], ir::OpCode::add)};
      })[1];
}

Value rounds_of_a_run(Builder& b) { return b.argument({DType::i32, {}}, {.uniform = true}); }

TEST(CollectiveBytes, TheOnlyLoopCountsByItsRounds) {
  const CollectiveBytes bytes = bytes_of([](Builder& b) {
    const Value rounds = rounds_of_a_run(b);
    const Value x = an_array(b);
    b.result(ir::all_gather(x, 0, core_count));
    b.result(loop(b, rounds, x));
  });
  EXPECT_EQ(bytes.bytes_of(0), array_bytes);
  EXPECT_EQ(bytes.bytes_of(3), 4 * array_bytes);
}

TEST(CollectiveBytes, SeveralLoopsCountAsOftenAsTheyRun) {
  const CollectiveBytes bytes = bytes_of([](Builder& b) {
    const Value x = an_array(b);
    b.result(loop(b, b.filled(DType::i32, {}, 5), loop(b, b.filled(DType::i32, {}, 2), x)));
  });
  EXPECT_EQ(bytes.bytes_of(7), 7 * array_bytes);
}

TEST(CollectiveBytes, OfAllRoundsCountTheOnlyLoop) {
  const auto all_of = [](const std::function<Value(Builder&)>& rounds) {
    return passes::collective_bytes_of_all_rounds(program(core_count, 1, [&](Builder& b) {
      const Value x = an_array(b);
      b.result(loop(b, rounds(b), ir::all_reduce(x, ir::OpCode::add)));
    }));
  };
  EXPECT_EQ(all_of([](Builder& b) { return b.filled(DType::i32, {}, 5); }), 6 * array_bytes);
  EXPECT_TRUE(std::isnan(all_of(rounds_of_a_run)));
}

// Whose rounds are whose is not known.
TEST(CollectiveBytes, SeveralLoopsThatOnlyARunCountsAreNotKnown) {
  const CollectiveBytes bytes = bytes_of([](Builder& b) {
    const Value rounds = rounds_of_a_run(b);
    b.result(loop(b, rounds, loop(b, rounds, an_array(b))));
  });
  EXPECT_TRUE(std::isnan(bytes.bytes_of(2)));
}

}  // namespace
}  // namespace systolic
