#include <gtest/gtest.h>

#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/base/error.h"
#include "systolic/core/test_literals.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::Axes;
using ir::Builder;
using ir::GatherAttributes;
using ir::OpCode;
using ir::ScatterAttributes;
using ir::Value;
using Values = std::span<const Value>;

Value index(Value like, std::initializer_list<int32_t> values, Shape shape) {
  return like.builder().constant(Literal::from(std::vector<int32_t>(values), shape));
}

std::vector<Value> starts(Value like, std::initializer_list<int32_t> values) {
  std::vector<Value> result;
  for (int32_t value : values) result.push_back(like.builder().constant(Literal::scalar(value)));
  return result;
}

Value square(Value x) { return x * x; }

TEST(IndexingGradient, DynamicSlice) {
  const std::vector<Literal> inputs{random_array({4, 5}, 1)};
  expect_gradients("inside", inputs, [](Values x) {
    return square(dynamic_slice(x[0], starts(x[0], {1, 2}), {2, 3}));
  });
  expect_gradients("clamped", inputs, [](Values x) {
    return square(dynamic_slice(x[0], starts(x[0], {9, -2}), {2, 3}));
  });
  expect_gradients("overlapping reads", inputs, [](Values x) {
    const Value a = dynamic_slice(x[0], starts(x[0], {0, 0}), {2, 3});
    const Value b = dynamic_slice(x[0], starts(x[0], {1, 1}), {2, 3});
    const Value c = dynamic_slice(x[0], starts(x[0], {1, 2}), {2, 3});
    return a * b + square(c);
  });
}

TEST(IndexingGradient, DynamicUpdateSlice) {
  expect_gradients("update", std::vector<Literal>{random_array({4, 5}, 1), random_array({2, 2}, 2)},
                   [](Values x) {
                     return square(dynamic_update_slice(x[0], x[1], starts(x[0], {3, 1})));
                   });
}

// Rows of a table: an embedding.
GatherAttributes rows_of(int64_t width, int64_t index_vector_dim) {
  return {.offset_dims = {index_vector_dim},
          .collapsed_slice_dims = {0},
          .start_index_map = {0},
          .index_vector_dim = index_vector_dim,
          .slice_sizes = {1, width}};
}

TEST(IndexingGradient, GatherOfRows) {
  const std::vector<Literal> inputs{random_array({4, 3}, 1)};
  expect_gradients("repeated rows", inputs, [](Values x) {
    return square(gather(x[0], index(x[0], {1, 3, 1, 0, 1}, {5}), rows_of(3, 1)));
  });
  expect_gradients("an axis of index vectors", inputs, [](Values x) {
    auto attributes = rows_of(3, 1);
    return square(gather(x[0], index(x[0], {2, 2, 0}, {3, 1}), attributes));
  });
  expect_gradients("clamped", inputs, [](Values x) {
    return square(gather(x[0], index(x[0], {-1, 9, 2}, {3}), rows_of(3, 1)));
  });
}

TEST(IndexingGradient, GatherOfWindows) {
  const GatherAttributes windows{.offset_dims = {1, 2},
                                 .start_index_map = {1, 0},
                                 .index_vector_dim = 1,
                                 .slice_sizes = {2, 3}};
  expect_gradients("windows", std::vector<Literal>{random_array({4, 5}, 1)}, [&](Values x) {
    return square(gather(x[0], index(x[0], {0, 1, 2, 2, 7, -3}, {3, 2}), windows));
  });
}

TEST(IndexingGradient, GatherWithBatches) {
  const GatherAttributes batched{.offset_dims = {2},
                                 .collapsed_slice_dims = {1},
                                 .operand_batching_dims = {0},
                                 .start_indices_batching_dims = {0},
                                 .start_index_map = {1},
                                 .index_vector_dim = 2,
                                 .slice_sizes = {1, 1, 2}};
  expect_gradients("batched", std::vector<Literal>{random_array({2, 3, 2}, 1)}, [&](Values x) {
    return square(gather(x[0], index(x[0], {0, 2, 2, 1, 1, 1}, {2, 3, 1}), batched));
  });
}

ScatterAttributes to_rows(bool unique) {
  return {.update_window_dims = {1},
          .inserted_window_dims = {0},
          .scatter_dims_to_operand_dims = {0},
          .index_vector_dim = 1,
          .unique_indices = unique};
}

TEST(IndexingGradient, ScatterThatAdds) {
  const std::vector<Literal> inputs{random_array({4, 2}, 1), random_array({3, 2}, 2)};
  for (const std::vector<int32_t>& at : {std::vector<int32_t>{0, 3, 1}, {2, 2, 1}, {-1, 2, 4}}) {
    expect_gradients(str("at ", join(at)), inputs, [&](Values x) {
      const Value where = x[0].builder().constant(Literal::from(at, {3}));
      return square(scatter(x[0], where, x[1], to_rows(false), OpCode::add));
    });
  }
}

TEST(IndexingGradient, ScatterThatReplaces) {
  const std::vector<Literal> inputs{random_array({4, 2}, 1), random_array({3, 2}, 2)};
  for (const std::vector<int32_t>& at :
       {std::vector<int32_t>{0, 3, 1}, {2, 2, 1}, {-1, 2, 4}, {1, 1, 1}}) {
    expect_gradients(str("at ", join(at)), inputs, [&](Values x) {
      const Value where = x[0].builder().constant(Literal::from(at, {3}));
      return square(scatter(x[0], where, x[1], to_rows(false), std::nullopt));
    });
  }
  expect_gradients("unique", inputs, [&](Values x) {
    return square(scatter(x[0], index(x[0], {2, 0, 1}, {3}), x[1], to_rows(true), std::nullopt));
  });
}

TEST(IndexingGradient, ScatterOfWindowsWithBatches) {
  const ScatterAttributes batched{.update_window_dims = {2},
                                  .inserted_window_dims = {1},
                                  .input_batching_dims = {0},
                                  .scatter_indices_batching_dims = {0},
                                  .scatter_dims_to_operand_dims = {1},
                                  .index_vector_dim = 2};
  expect_gradients("batched",
                   std::vector<Literal>{random_array({2, 3, 2}, 1), random_array({2, 2, 2}, 2)},
                   [&](Values x) {
                     const Value where = index(x[0], {0, 2, 1, 1}, {2, 2, 1});
                     return square(scatter(x[0], where, x[1], batched, OpCode::add));
                   });
}

// Windows that lie partly outside: they are left out as a whole.
TEST(IndexingGradient, ScatterOfWindowsThatStickOut) {
  const ScatterAttributes windows{
      .update_window_dims = {1, 2}, .scatter_dims_to_operand_dims = {1, 0}, .index_vector_dim = 1};
  const std::vector<Literal> inputs{random_array({3, 4}, 1), random_array({4, 2, 2}, 2)};
  for (const std::vector<int32_t>& at :
       {std::vector<int32_t>{0, 0, 1, 1, 2, 1, 0, 1}, {-1, 0, 3, 2, 1, -1, 9, 0}}) {
    for (const auto& code : {std::optional(OpCode::add), std::optional<OpCode>()}) {
      expect_gradients(str(code ? "add at " : "replace at ", join(at)), inputs, [&](Values x) {
        const Value where = x[0].builder().constant(Literal::from(at, {4, 2}));
        return square(scatter(x[0], where, x[1], windows, code));
      });
    }
  }
}

TEST(IndexingGradient, ScatterThatMultipliesHasNone) {
  const std::vector<Literal> inputs{random_array({4, 2}, 1), random_array({3, 2}, 2)};
  const auto program = [](Values x) {
    return scatter(x[0], index(x[0], {0, 1, 2}, {3}), x[1], to_rows(true), OpCode::multiply);
  };
  EXPECT_THROW(gradients_of(inputs, program), Unimplemented);
}

TEST(IndexingGradient, Sort) {
  const auto ascending = [](Values s) { return compare(s[0], s[1], ir::Direction::lt); };
  for (int64_t axis : {0, 1}) {
    expect_gradients(str("along ", axis), std::vector<Literal>{random_array({3, 4}, 7)},
                     [&](Values x) {
                       return sort(x, {axis, true}, ascending)[0];
                     });
  }
  const std::vector<Literal> inputs{random_array({6}, 7), random_array({6}, 8)};
  for (size_t result : {0, 1}) {
    expect_gradients(str("keys and values, result ", result), inputs, [&](Values x) {
      return sort(x, {0, true}, ascending)[result];
    });
  }
  expect_gradients("values twice", inputs, [&](Values x) {
    const auto sorted = sort(x, {-1, true}, ascending);
    return square(sorted[0]) * sorted[1];
  });
}

TEST(IndexingGradient, TopElementsOfARow) {
  expect_gradients("top 2", std::vector<Literal>{random_array({2, 5}, 3)}, [](Values x) {
    const Value positions = x[0].builder().iota({DType::i32, {2, 5}}, 1);
    const std::vector<Value> arrays{x[0], positions};
    const auto sorted =
        sort(arrays, {1, true}, [](Values s) { return compare(s[0], s[1], ir::Direction::gt); });
    return slice(sorted[0], {0, 0}, {2, 2});
  });
}

TEST(IndexingGradient, AGatheredRowIsReadOnceMoreByItsNeighbour) {
  const std::vector<Literal> inputs{Literal::of<double>({1, 2, 3})};
  const auto program = [](Values x) {
    const Value a = dynamic_slice(x[0], starts(x[0], {0}), {2});
    const Value b = dynamic_slice(x[0], starts(x[0], {1}), {2});
    return a + b;
  };
  EXPECT_EQ(numbers(gradients_of(inputs, program)[0]), (std::vector<double>{1, 2, 1}));
}

}  // namespace
}  // namespace systolic
