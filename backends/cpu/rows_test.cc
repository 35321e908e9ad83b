// Arrays that come row by row: as the same arrays in one piece, whatever a program does with them.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "backends/cpu/client.h"
#include "backends/cpu/lower/lower_block.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/runtime/takes_rows.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;
using runtime::BufferPtr;
using Values = std::vector<Value>;

Literal numbers(const Shape& shape, float first) {
  Literal literal(DType::f32, shape);
  for (float& number : literal.mutable_data<float>()) number = first++;
  return literal;
}

// As [rows, ...].
Literal in_one_piece(const std::vector<Literal>& rows) {
  const ir::Type type = runtime::type_of_rows(rows);
  Literal whole(type.dtype, type.shape);
  std::byte* to = whole.mutable_raw();
  for (const Literal& row : rows) {
    if (row.byte_size() > 0) std::memcpy(to, row.raw(), row.byte_size());
    to += row.byte_size();
  }
  return whole;
}

BufferPtr from_rows(const runtime::ClientPtr& client, const std::vector<Literal>& rows) {
  return dynamic_cast<runtime::TakesRows&>(*client).from_host_rows(rows, {});
}

// The sums over a loop's rounds of what `round` makes of the stack and the round's number.
Value summed(Value stack, const std::function<Value(Value, Value)>& round) {
  Builder& b = stack.builder();
  const int64_t rounds = stack.shape()[0];
  const Value zero = b.filled(DType::i32, {}, 0);
  const Value first = round(stack, zero);
  const Value initial[] = {zero, b.filled_like(first, 0)};
  return ir::while_loop(
      initial,
      [&](std::span<const Value> s) {
        return ir::compare(s[0], static_cast<double>(rounds), ir::Direction::lt);
      },
      [&](std::span<const Value> s) {
        return Values{s[0] + 1.0, s[1] + round(stack, s[0])};
      })[1];
}

Value rows_from(Value stack, Value index, int64_t rows) {
  Shape shape = stack.shape();
  shape.set(0, rows);
  Values starts{index};
  while (static_cast<int>(starts.size()) < stack.rank()) {
    starts.push_back(stack.builder().filled(DType::i32, {}, 0));
  }
  return ir::dynamic_slice(stack, starts, shape.to_vector());
}

struct Case {
  std::string what;
  bool one_by_one;  // nothing but single rows is read
  std::function<Value(Value stack)> program;
};

const Case cases[] = {
    {"row by row", true,
     [](Value stack) {
       return summed(stack, [](Value x, Value i) { return rows_from(x, i, 1) * 3.0; });
     }},
    {"the next, and at the end the last again", true,
     [](Value stack) {
       return summed(stack, [](Value x, Value i) { return rows_from(x, i + 1.0, 1) * 2.0; });
     }},
    {"two rows at once", false,
     [](Value stack) {
       return summed(stack, [](Value x, Value i) { return rows_from(x, i, 2) + 1.0; });
     }},
    {"rows, and the whole", false,
     [](Value stack) {
       const Value all = ir::reduce_sum(stack, {0});
       const Value row = summed(stack, [](Value x, Value i) { return rows_from(x, i, 1) * 3.0; });
       return ir::reshape(row, all.shape()) + all;
     }},
    {"the whole alone", false, [](Value stack) { return stack * 2.0; }},
    {"the array itself", false, [](Value stack) { return stack; }},
};

TEST(Rows, AreTheWhole) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  for (const Case& row : cases) {
    for (const Shape& shape : {Shape{4, 16}, Shape{16}, Shape{5}, Shape{}, Shape{0, 3}}) {
      std::vector<Literal> rows;
      for (int i = 0; i < 5; ++i) rows.push_back(numbers(shape, static_cast<float>(10 * i)));
      const Literal whole = in_one_piece(rows);
      ir::Module module;
      module.functions.emplace_back();
      Builder b(module.main());
      b.result(row.program(b.argument({DType::f32, whole.shape()})));
      const auto program = client->compile(module);
      const Literal wanted = program->execute({client->from_host(whole)})[0]->to_literal();
      const BufferPtr stack = from_rows(client, rows);
      for (int run = 0; run < 2; ++run) {
        EXPECT_EQ(program->execute({stack})[0]->to_literal(), wanted)
            << row.what << " " << to_string(shape);
      }
      EXPECT_EQ(stack->to_literal(), whole);
    }
  }
}

// Only rows that are taken one by one may lie apart.
TEST(Rows, AreTakenOneByOne) {
  for (const Case& row : cases) {
    ir::Module module;
    module.functions.emplace_back();
    Builder b(module.main());
    b.result(row.program(b.argument({DType::f32, {5, 4, 16}})));
    const cpu::Plan plan = cpu::Planner(module, module.main(), 1, cpu::lower_block).finish();
    ASSERT_EQ(plan.taken_by_rows.size(), 1);
    EXPECT_EQ(plan.taken_by_rows[0] != cpu::no_place, row.one_by_one) << row.what;
  }
}

// Rows of a reshaped stack may begin in one of its own rows and end in another.
TEST(Rows, OfAnotherShapeAreTheWhole) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  struct Reshaped {
    Shape row, stack;
    bool one_by_one;
  };
  const Reshaped reshaped[] = {
      {{4, 24}, {3, 160}, false},   {{4, 16}, {20, 16}, true}, {{4, 24}, {10, 48}, true},
      {{4, 24}, {1, 5, 96}, false}, {{64}, {5, 2, 32}, true},  {{4, 24}, {15, 32}, true},
      {{3, 32}, {30, 16}, true},    {{2, 8}, {2, 40}, false},
  };
  for (const Reshaped& one : reshaped) {
    const std::string what = str(to_string(one.row), " as ", to_string(one.stack));
    std::vector<Literal> rows;
    for (int i = 0; i < 5; ++i) rows.push_back(numbers(one.row, static_cast<float>(100 * i)));
    const Literal whole = in_one_piece(rows);
    ir::Module module;
    module.functions.emplace_back();
    Builder b(module.main());
    const Value stack = ir::reshape(b.argument({DType::f32, whole.shape()}), one.stack);
    b.result(summed(stack, [](Value x, Value i) { return rows_from(x, i, 1) * 3.0; }));
    const cpu::Plan plan = cpu::Planner(module, module.main(), 1, cpu::lower_block).finish();
    EXPECT_EQ(plan.taken_by_rows[0] != cpu::no_place, one.one_by_one) << what;
    const auto program = client->compile(module);
    const Literal wanted = program->execute({client->from_host(whole)})[0]->to_literal();
    EXPECT_EQ(program->execute({from_rows(client, rows)})[0]->to_literal(), wanted) << what;
  }
}

// A donated one is as any other: its memory is not that of the host's arrays.
TEST(Rows, AreNotWrittenTo) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const std::vector<Literal> rows(3, numbers({4, 16}, 1));
  ir::Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  b.result(b.argument({DType::f32, {3, 4, 16}}, {.name = "x", .aliases_result = 0}) * 2.0);
  std::vector<BufferPtr> arguments{from_rows(client, rows)};
  const auto results = client->compile(module)->execute(std::move(arguments));
  Literal wanted = in_one_piece(rows);
  for (float& number : wanted.mutable_data<float>()) number *= 2;
  EXPECT_EQ(results[0]->to_literal(), wanted);
  EXPECT_EQ(rows[0], numbers({4, 16}, 1));
}

// Threads that read it at once find it put together.
TEST(Rows, ArePutTogetherOnce) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  const std::vector<Literal> rows(64, numbers({16, 16}, 1));
  const BufferPtr stack = from_rows(client, rows);
  const Literal wanted = in_one_piece(rows);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(stack->to_literal(), wanted); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Rows, OfOtherTypesAreRefused) {
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  EXPECT_THROW(from_rows(client, {}), InvalidArgument);
  try {
    from_rows(client, {numbers({16}, 0), numbers({16}, 0), numbers({32}, 0)});
    FAIL() << "rows of two shapes were taken";
  } catch (const InvalidArgument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("row 2"), std::string::npos) << text;
    EXPECT_NE(text.find("f32[32]"), std::string::npos) << text;
    EXPECT_NE(text.find("f32[16]"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace systolic
