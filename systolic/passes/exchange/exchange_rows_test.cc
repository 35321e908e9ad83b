// What cores exchange of a table's rows, in the interpreter's lockstep run of the cores, against
// loops over rows.
#include "systolic/passes/exchange/exchange_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/passes/exchange/look_up_rows.h"
#include "systolic/passes/exchange/move_rows.h"
#include "systolic/passes/exchange/sorted_rows.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;

constexpr int64_t cores = 4, own_rows = 60, height = cores * own_rows, width = 3;

struct Lookups {
  const char* name;
  int64_t count;  // of each core
  std::function<int64_t(int64_t core, int64_t i)> id;
};

const Lookups lookup_cases[] = {
    {"over all cores", 40, [](int64_t core, int64_t i) { return (i * 37 + core * 11) % height; }},
    {"of one core, in several rounds", 50, [](int64_t, int64_t i) { return 60 + i * 7 % 60; }},
    {"other ones of one core", 50, [](int64_t core, int64_t i) { return 180 + (i + core) % 60; }},
    {"of one core by one core alone", 50,
     [](int64_t core, int64_t i) { return core == 2 ? i : 200 + i % 2; }},
    {"one row", 33, [](int64_t, int64_t) { return int64_t{17}; }},
    {"some outside", 24, [](int64_t core, int64_t i) { return i * 31 - 100 + core; }},
    {"all outside", 9, [](int64_t, int64_t i) { return height + i; }},
    {"one each", 1, [](int64_t core, int64_t) { return core * 59; }},
};

Literal ids_of(const Lookups& lookups) {
  Literal ids(DType::i32, {cores, lookups.count});
  for (int64_t i = 0; i < ids.size(); ++i) {
    ids.mutable_data<int32_t>()[static_cast<size_t>(i)] =
        static_cast<int32_t>(lookups.id(i / lookups.count, i % lookups.count));
  }
  return ids;
}

// Whole numbers, of which sums are exact in any order.
Literal numbers(const Shape& shape, int64_t step) {
  Literal values(DType::f32, shape);
  for (int64_t i = 0; i < values.size(); ++i)
    values.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * step % 101 - 50);
  return values;
}

ir::Module per_core_module() {
  ir::Module module;
  module.num_replicas = cores;
  module.functions.emplace_back();
  return module;
}

TEST(ExchangeRows, LooksUpWhatLiesOnOtherCores) {
  const Literal table = numbers({cores, own_rows, width}, 13);
  for (const Lookups& lookups : lookup_cases) {
    SCOPED_TRACE(lookups.name);
    ir::Module module = per_core_module();
    Builder b(module.main(), &module);
    const Value own = b.argument({DType::f32, {own_rows, width}});
    const Value ids = b.argument({DType::i32, {lookups.count}});
    b.result(passes::look_up_rows(own, ids, passes::CoreExchange(cores)));
    ir::verify(module);
    const Literal of_cores = ids_of(lookups);
    const Literal got = interpreter::evaluate(module, {table, of_cores})[0];
    for (int64_t i = 0; i < of_cores.size(); ++i) {
      const int64_t id = of_cores.data<int32_t>()[static_cast<size_t>(i)];
      const int64_t row = std::clamp<int64_t>(id, 0, height - 1);
      for (int64_t k = 0; k < width; ++k)
        ASSERT_EQ(got.number_at(i * width + k), table.number_at(row * width + k)) << i << " " << id;
    }
  }
}

// The first table loses what its rows get, and the second counts how often each is moved.
std::vector<Value> subtract_and_count(Value rows, Value sums, std::span<const Value> tables) {
  ir::ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  const Value values = passes::rows_at(tables[0], rows) - sums;
  const Value counts = passes::rows_at(tables[1], rows) + 1.0;
  return {ir::scatter(tables[0], rows, values, a, std::nullopt),
          ir::scatter(tables[1], rows, counts, a, std::nullopt)};
}

TEST(ExchangeRows, MovesEachRowOnceByTheSumOfAllCores) {
  const Literal table = numbers({cores, own_rows, width}, 13);
  for (const Lookups& lookups : lookup_cases) {
    SCOPED_TRACE(lookups.name);
    ir::Module module = per_core_module();
    Builder b(module.main(), &module);
    const ir::Type own{DType::f32, {own_rows, width}};
    const Value tables[] = {b.argument(own), b.argument(own)};
    const Value ids = b.argument({DType::i32, {lookups.count}});
    const Value updates = b.argument({DType::f32, {lookups.count, width}});
    for (const Value& moved :
         passes::move_rows(tables, ids, updates, subtract_and_count, passes::CoreExchange(cores)))
      b.result(moved);
    ir::verify(module);
    const Literal of_cores = ids_of(lookups), gradients = numbers({cores, lookups.count, width}, 7);
    const auto got = interpreter::evaluate(
        module, {table, Literal::zeros(DType::f32, table.shape()), of_cores, gradients});
    std::vector<double> wanted, counts(static_cast<size_t>(table.size()), 0);
    for (int64_t i = 0; i < table.size(); ++i) wanted.push_back(table.number_at(i));
    for (int64_t i = 0; i < of_cores.size(); ++i) {
      const int64_t id = of_cores.data<int32_t>()[static_cast<size_t>(i)];
      if (id < 0 || id >= height) continue;
      for (int64_t k = 0; k < width; ++k) {
        const auto at = static_cast<size_t>(id * width + k);
        wanted[at] -= gradients.number_at(i * width + k);
        counts[at] = 1;
      }
    }
    for (int64_t i = 0; i < table.size(); ++i) {
      ASSERT_EQ(got[0].number_at(i), wanted[static_cast<size_t>(i)]) << i;
      ASSERT_EQ(got[1].number_at(i), counts[static_cast<size_t>(i)]) << i;
    }
  }
}

// What is split and no variable is a batch, and its lookups are the compiler's.
TEST(ExchangeRows, IsOfVariablesByRowsOverAllCores) {
  struct Case {
    const char* name;
    ir::Parameter table;
    int64_t count;
    bool exchanged;
  };
  const auto by_rows = ir::Sharding::along(0, 2, cores);
  const auto parameter = ir::Role::parameter;
  const Case cases[] = {
      {"a table", {.sharding = by_rows, .role = parameter}, 16, true},
      {"a slot", {.sharding = by_rows, .role = ir::Role::optimizer_state}, 16, true},
      {"a batch", {.sharding = by_rows}, 16, false},
      {"a whole table", {.role = parameter}, 16, false},
      {"over two cores", {.sharding = ir::Sharding::along(0, 2, 2), .role = parameter}, 16, false},
      {"by columns", {.sharding = ir::Sharding::along(1, 2, cores), .role = parameter}, 16, false},
      {"a number of ids that does not divide", {.sharding = by_rows, .role = parameter}, 18, false},
      {"no ids", {.sharding = by_rows, .role = parameter}, 0, false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    ir::Module module;
    module.num_partitions = cores;
    module.functions.emplace_back();
    Builder b(module.main(), &module);
    const Value table = b.argument({DType::f32, {height, 4}}, one.table);
    b.result(passes::rows_at(table, b.argument({DType::i32, {one.count}})));
    const ir::Module exchanged = passes::exchange_rows(module);
    ir::verify(exchanged);
    EXPECT_EQ(exchanged.functions.size(), one.exchanged ? 2u : 1u);
    EXPECT_EQ(ir::to_text(exchanged).find("stablehlo.all_to_all") != std::string::npos,
              one.exchanged);
  }
}

TEST(ExchangeRows, HoldsNoMoreThanAShareOfTheLookups) {
  EXPECT_EQ(passes::most_at_a_time(4096, 8), 1024);
  EXPECT_EQ(passes::most_at_a_time(20, 8), 8);
  EXPECT_EQ(passes::most_at_a_time(3, 8), 3);
}

}  // namespace
}  // namespace systolic
