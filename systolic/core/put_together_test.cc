#include "systolic/core/put_together.h"

#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/error.h"

namespace systolic {
namespace {

const Literal row = Literal::of<float>({1, 2});
const Literal rows = Literal::of<float>({{3, 4}, {5, 6}});

TEST(PutTogether, StacksAndJoins) {
  EXPECT_EQ(stacked(std::vector{row, row}), Literal::of<float>({{1, 2}, {1, 2}}));
  EXPECT_EQ(joined(std::vector{rows, row.reshape({1, 2}), rows}),
            Literal::of<float>({{3, 4}, {5, 6}, {1, 2}, {3, 4}, {5, 6}}));
  const Literal nothing(DType::f32, {0, 2});
  EXPECT_EQ(joined(std::vector{nothing, rows}), rows);
  EXPECT_EQ(stacked(std::vector{nothing}).shape(), (Shape{1, 0, 2}));
}

TEST(PutTogether, NamesWhatDoesNotFit) {
  struct Case {
    std::vector<Literal> arrays;
    bool joins;
    std::string_view wanted;
  };
  const Case table[] = {
      {{}, false, "x: no batch"},
      {{Literal::strings({"a"})}, true, "strings"},
      {{row, rows}, false, "x: batch 5 is f32(2, 2), expected f32(2,) as batch 4"},
      {{row, row.convert(DType::i32)}, false, "batch 5 is i32(2,)"},
      {{rows, row}, true, "batch 5 is f32(2,), expected f32(2, 2) as batch 4, but for the first"},
      {{rows, rows.reshape({1, 4})}, true, "batch 5 is f32(1, 4)"},
      {{rows, rows.convert(DType::i32)}, true, "batch 5 is i32(2, 2)"},
      {{Literal::scalar(1.0f)}, true, "batch 4 is f32()"},
  };
  for (const Case& one : table) {
    const TogetherOptions options{.what = "x", .unit = "batch", .first = 4, .hint = "do it"};
    try {
      one.joins ? joined(one.arrays, options) : stacked(one.arrays, options);
      ADD_FAILURE() << one.wanted;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(one.wanted), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace systolic
