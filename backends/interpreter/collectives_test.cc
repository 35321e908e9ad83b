// Four cores in lockstep; every argument has a leading axis of cores.
#include <gtest/gtest.h>

#include "backends/interpreter/test_program.h"
#include "systolic/base/error.h"
#include "systolic/core/test_literals.h"

namespace systolic {
namespace {

using namespace ir;
using Values = std::vector<Value>;
using Arguments = std::span<const Value>;

struct Row {
  const char* name;
  Shape argument;  // with the cores
  std::function<Value(Builder&, Arguments)> build;
  std::vector<double> wanted;
};

const CollectiveAttributes pairs{{{0, 1}, {3, 2}}, 0, false};

const std::vector<Row> rows{
    {"replica_id", {4}, [](Builder& b, Arguments) { return replica_id(b); }, {0, 1, 2, 3}},
    {"all_reduce",
     {4, 2},
     [](Builder&, Arguments x) { return all_reduce(x[0], OpCode::add); },
     {12, 16, 12, 16, 12, 16, 12, 16}},
    {"all_reduce in groups",
     {4},
     [](Builder&, Arguments x) { return all_reduce(x[0], OpCode::maximum, pairs); },
     {1, 1, 3, 3}},
    {"all_gather",
     {4, 1},
     [](Builder&, Arguments x) { return all_gather(x[0], 0, 2, pairs); },
     {0, 1, 0, 1, 3, 2, 3, 2}},
    {"reduce_scatter",
     {4, 4},
     [](Builder&, Arguments x) { return reduce_scatter(x[0], OpCode::add, 0, 4); },
     {24, 28, 32, 36}},
    {"all_to_all",
     {4, 4},
     [](Builder&, Arguments x) {
       return all_to_all(x[0], {0, 0, 4, {}});
     },
     {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}},
    {"collective_permute",
     {4},
     [](Builder&, Arguments x) {
       return collective_permute(x[0], {{{0, 1}, {1, 3}}, 0});
     },
     {0, 0, 0, 1}},
    {"collective_broadcast",
     {4},
     [](Builder& b, Arguments x) {
       return b.append_one(OpCode::collective_broadcast, {x[0]},
                           CollectiveAttributes{{{2, 0, 1}}, 0, false});
     },
     {2, 2, 2, 0}},
    {"if without collectives may differ",
     {4},
     [](Builder&, Arguments x) {
       return if_else(
           compare(x[0], 1, Direction::gt), [&] { return Values{x[0] * 10.0}; },
           [&] { return Values{x[0]}; })[0];
     },
     {0, 1, 20, 30}},
    {"while runs as often as each core needs",
     {4},
     [](Builder&, Arguments x) {
       return while_loop(
           Values{x[0]}, [](Arguments s) { return compare(s[0], 6, Direction::lt); },
           [](Arguments s) { return Values{s[0] + 4.0}; })[0];
     },
     {8, 9, 6, 7}},
    {"collective in a loop that all cores run",
     {4},
     [](Builder& b, Arguments x) {
       const Value start = b.filled(DType::i32, {}, 0);
       return while_loop(
           Values{start, x[0]}, [](Arguments s) { return compare(s[0], 2, Direction::lt); },
           [](Arguments s) {
             return Values{s[0] + 1.0, all_reduce(s[1], OpCode::add)};
           })[1];
     },
     {24, 24, 24, 24}},
};

TEST(InterpreterCollectives, FourCores) {
  for (const Row& row : rows) {
    const auto got = run_program(
        {counting(row.argument)}, [&](Builder& b, Arguments x) { return Values{row.build(b, x)}; },
        4);
    EXPECT_EQ(numbers(got[0]), row.wanted) << row.name;
  }
}

std::string divergence(const std::function<Value(Builder&, Arguments)>& build) {
  try {
    run_program(
        {counting({4})},
        [&](Builder& b, Arguments x) {
          b.location = {"train.cc", 99};
          return Values{build(b, x)};
        },
        4);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(InterpreterCollectives, CoresThatDivergeAreNamed) {
  const std::string branches = divergence([](Builder&, Arguments x) {
    return if_else(
        compare(x[0], 2, Direction::ge), [&] { return Values{all_reduce(x[0], OpCode::add)}; },
        [&] { return Values{x[0]}; })[0];
  });
  EXPECT_NE(branches.find("cores diverged at all_reduce"), std::string::npos) << branches;
  EXPECT_NE(branches.find("core 2 comes to it, but core 0, "), std::string::npos) << branches;
  EXPECT_NE(branches.find("train.cc:99"), std::string::npos) << branches;

  const std::string loops = divergence([](Builder&, Arguments x) {
    return while_loop(
        Values{x[0]}, [](Arguments s) { return compare(s[0], 2, Direction::lt); },
        [](Arguments s) { return Values{all_reduce(s[0], OpCode::add)}; })[0];
  });
  EXPECT_NE(loops.find("cores diverged at all_reduce"), std::string::npos) << loops;
  EXPECT_NE(loops.find("core 0 comes to it, but core 2, "), std::string::npos) << loops;
}

// Cores 0 and 1 have left the loop when 2 and 3 go on; the values are worked out by hand.
TEST(InterpreterCollectives, GroupsThatGoDifferentWays) {
  const CollectiveAttributes halves{{{0, 1}, {2, 3}}, 0, false};
  const auto got = run_program(
      {counting({4})},
      [&](Builder& b, Arguments x) {
        const Value is_first = compare(convert(replica_id(b), DType::i32), 2, Direction::lt);
        const Value branch = if_else(
            is_first, [&] { return Values{all_reduce(x[0], OpCode::add, halves)}; },
            [&] { return Values{x[0] + 10.0}; })[0];
        const Value loop = while_loop(
            Values{x[0]}, [](Arguments s) { return compare(s[0], 40, Direction::lt); },
            [&](Arguments s) { return Values{all_reduce(s[0] + 8.0, OpCode::add, halves)}; })[0];
        return Values{branch, loop};
      },
      4);
  EXPECT_EQ(numbers(got[0]), (std::vector<double>{1, 1, 12, 13}));
  // 0 + 1: 17, 50. 2 + 3: 21, 58.
  EXPECT_EQ(numbers(got[1]), (std::vector<double>{50, 50, 58, 58}));
}

}  // namespace
}  // namespace systolic
