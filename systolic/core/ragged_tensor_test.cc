#include "systolic/core/ragged_tensor.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/core/sparse_tensor.h"

namespace systolic {
namespace {

TEST(RaggedTensor, HasRowsOfDifferentLengths) {
  const RaggedTensor x = RaggedTensor::from_rows<int64_t>({{3, 1}, {}, {2}});
  EXPECT_EQ(x.values, Literal::of<int64_t>({3, 1, 2}));
  EXPECT_EQ(x.row_splits, Literal::of<int64_t>({0, 2, 2, 3}));
  EXPECT_EQ(x.rows(), 3);
  EXPECT_EQ(x.longest_row(), 2);
  EXPECT_EQ(x.row_start(2), 2);
  EXPECT_EQ(x.row_length(1), 0);
}

TEST(RaggedTensor, LiesInAnElementAsTwoArrays) {
  Example element{{"label", 1.0f}};
  const RaggedTensor x = RaggedTensor::from_rows<int32_t>({{5}, {6, 7}});
  EXPECT_FALSE(RaggedTensor::is_in(element, "x"));
  x.put_in(element, "x");
  EXPECT_EQ(element.names(), (std::vector<std::string>{"label", "x", "x_row_splits"}));
  EXPECT_TRUE(RaggedTensor::is_in(element, "x"));
  EXPECT_EQ(RaggedTensor::in(element, "x"), x);
  expect_parts(error_of([&] { RaggedTensor::in(element, "y"); }), {"NotFound", "y"});
}

TEST(RaggedTensor, RefusesSplitsOfAnotherForm) {
  struct Case {
    Literal splits;
    const char* part;
  };
  const Literal values = Literal::of<int64_t>({3, 1, 2});
  const Case cases[] = {
      {Literal::of<int64_t>({1, 3}), "go from 1 to 3 for 3 values"},
      {Literal::of<int64_t>({0, 2}), "go from 0 to 2 for 3 values"},
      {Literal::of<int64_t>({0, 2, 1, 3}), "fall at row 1"},
      {Literal::of<float>({0, 3}), "row_splits are f32"},
      {Literal::zeros(DType::i64, {0}), "of shape (0,)"},
  };
  for (const Case& one : cases) {
    expect_parts(error_of([&] { RaggedTensor::from_row_splits(values, one.splits); }),
                 {"InvalidArgument", one.part});
  }
}

TEST(SparseTensor, GivesTheValuesOfItsRows) {
  const SparseTensor x = SparseTensor::from(Literal::of<int64_t>({{0, 1}, {0, 3}, {2, 0}}),
                                            Literal::of<int64_t>({7, 8, 9}), {3, 4});
  EXPECT_EQ(x.rows(), RaggedTensor::from_rows<int64_t>({{7, 8}, {}, {9}}));
  Example element;
  x.put_in(element, "x");
  EXPECT_EQ(element.names(), (std::vector<std::string>{"x", "x_indices", "x_dense_shape"}));
  EXPECT_EQ(SparseTensor::in(element, "x").rows(), x.rows());
}

TEST(SparseTensor, NamesAnIndexThatIsOutOfPlace) {
  struct Case {
    Literal indices;
    Shape shape;
    const char* part;
  };
  const Literal values = Literal::of<int64_t>({7, 9});
  const Case cases[] = {
      {Literal::of<int64_t>({{0, 1}, {3, 0}}), {3, 4}, "index 1 of a SparseTensor"},
      {Literal::of<int64_t>({{0, -1}, {2, 0}}), {3, 4}, "is (0, -1)"},
      {Literal::of<int64_t>({{2, 0}, {0, 1}}), {3, 4}, "no later than the one before"},
      {Literal::of<int64_t>({{0, 1}, {0, 1}}), {3, 4}, "no later than the one before"},
      {Literal::of<int64_t>({{0, 1}, {2, 0}}), {3}, "integers [count, rank]"},
  };
  for (const Case& one : cases) {
    expect_parts(error_of([&] { SparseTensor::from(one.indices, values, one.shape); }),
                 {"InvalidArgument", one.part});
  }
}

}  // namespace
}  // namespace systolic
