#include <gtest/gtest.h>

#include "systolic/autodiff/numeric_gradient.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::Axes;
using ir::Value;
using Values = std::span<const Value>;

// Squares what was moved, so that the gradient depends on where an element went.
struct MovementCase {
  std::string name;
  std::vector<Shape> shapes;
  Program move;
};

void check(const std::vector<MovementCase>& cases) {
  for (const MovementCase& c : cases) {
    std::vector<Literal> inputs;
    for (size_t i = 0; i < c.shapes.size(); ++i) inputs.push_back(random_array(c.shapes[i], i + 1));
    expect_gradients(c.name, inputs, [&](Values x) {
      const Value y = c.move(x);
      return y * y;
    });
  }
}

TEST(MovementGradient, Broadcast) {
  const auto to = [](Shape shape, Axes dimensions) {
    return [=](Values x) { return broadcast_in_dim(x[0], shape, dimensions); };
  };
  check({{"scalar", {{}}, to({2, 3}, {})},
         {"rows", {{3}}, to({2, 3}, {1})},
         {"columns", {{2}}, to({2, 3}, {0})},
         {"ones", {{1, 3}}, to({2, 3}, {0, 1})},
         {"ones that stay", {{1, 3}}, to({1, 3}, {0, 1})},
         {"one to many and a new axis", {{2, 1}}, to({4, 2, 3}, {1, 2})},
         {"transposed", {{2, 3}}, to({3, 2}, {1, 0})},
         {"transposed among new axes", {{2, 3}}, to({3, 4, 2}, {2, 0})},
         {"three axes turned", {{2, 3, 4}}, to({4, 2, 3}, {1, 2, 0})},
         {"nothing", {{2, 3}}, to({2, 3}, {0, 1})}});
}

TEST(MovementGradient, ReshapeTransposeReverse) {
  check({{"reshape",
          {{2, 6}},
          [](Values x) {
            return reshape(x[0], {3, 4});
          }},
         {"to scalar", {{1, 1}}, [](Values x) { return reshape(x[0], {}); }},
         {"transpose",
          {{2, 3, 4}},
          [](Values x) {
            return transpose(x[0], {1, 2, 0});
          }},
         {"transpose back",
          {{2, 3, 4}},
          [](Values x) {
            return transpose(x[0], {2, 0, 1});
          }},
         {"reverse", {{2, 3}}, [](Values x) { return reverse(x[0], {1}); }},
         {"reverse both", {{2, 3}}, [](Values x) {
            return reverse(x[0], {0, 1});
          }}});
}

TEST(MovementGradient, Slice) {
  const auto cut = [](Axes start, Axes limit, Axes strides) {
    return [=](Values x) { return slice(x[0], start, limit, strides); };
  };
  check({{"inner", {{5, 4}}, cut({1, 1}, {4, 3}, {1, 1})},
         {"strided", {{7, 5}}, cut({1, 0}, {7, 5}, {2, 3})},
         {"strided to before the end", {{7}}, cut({0}, {6}, {4})},
         {"all", {{3}}, cut({0}, {3}, {1})},
         {"nothing", {{3}}, cut({1}, {1}, {1})}});
}

TEST(MovementGradient, Pad) {
  const auto padded = [](Axes low, Axes high, Axes interior) {
    return [=](Values x) { return pad(x[0], x[1], low, high, interior); };
  };
  check({{"edges", {{2, 3}, {}}, padded({1, 0}, {2, 1}, {0, 0})},
         {"holes", {{3, 2}, {}}, padded({0, 0}, {0, 0}, {2, 1})},
         {"holes and edges", {{3}, {}}, padded({2}, {1}, {1})},
         {"cut off", {{6}, {}}, padded({-2}, {-1}, {0})},
         {"cut off, with holes", {{4}, {}}, padded({-2}, {3}, {2})},
         {"cut off both, with holes", {{4}, {}}, padded({-2}, {-3}, {2})}});
}

TEST(MovementGradient, Concatenate) {
  const auto joined = [](int64_t axis) { return [=](Values x) { return concatenate(x, axis); }; };
  check({{"rows", {{1, 2}, {3, 2}, {2, 2}}, joined(0)}, {"columns", {{2, 1}, {2, 3}}, joined(1)}});
  expect_gradients("the same twice", std::vector<Literal>{random_array({2}, 1)}, [](Values x) {
    const std::vector<Value> parts{x[0], x[0]};
    return concatenate(parts, 0);
  });
}

}  // namespace
}  // namespace systolic
