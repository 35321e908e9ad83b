// Models called on Tensors by their inputs' names.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

// left - right + 10 * scale; scale is 1 where it is left out.
Model difference() {
  const Symbol left = input({.shape = {2}, .name = "left"}),
               right = input({.shape = {2}, .name = "right"}),
               scale = input({.shape = {2}, .name = "scale", .default_value = 1.0});
  return Model({left, right, scale}, left - right + 10.0 * scale, {.name = "difference"});
}

const Tensor& five() {
  static const Tensor value = constant({{5.f, 5.f}});
  return value;
}
const Tensor& two() {
  static const Tensor value = constant({{2.f, 3.f}});
  return value;
}

TEST(NamedCall, TakesInputsInAnyOrderAndDefaultsForThoseLeftOut) {
  const Model model = difference();
  EXPECT_EQ(model({{"right", two()}, {"left", five()}}).literal(), Literal::of<float>({{13, 12}}));
  EXPECT_EQ(model({{"scale", two()}, {"right", two()}, {"left", five()}}).literal(),
            Literal::of<float>({{23, 32}}));
  EXPECT_EQ(model({five(), two()}).literal(), Literal::of<float>({{13, 12}}));
}

TEST(NamedCall, TakesOfABatchWhatItsInputsAre) {
  const Batch batch({{"label", five()}, {"right", two()}, {"left", five()}});
  EXPECT_EQ(difference()(batch).literal(), Literal::of<float>({{13, 12}}));
}

TEST(NamedCall, GivesOutputsByTheirNames) {
  const Symbol x = input({.shape = {2}, .name = "x"});
  const Model model(x, std::vector<Symbol>{x * 2.0, x * 3.0});
  const std::vector<NetworkPort> ports = model.network().output_ports();
  ASSERT_NE(ports[0].name, ports[1].name);
  const Batch outputs = model.outputs(Batch({{"x", five()}}));
  EXPECT_EQ(outputs[ports[1].name].literal(), Literal::of<float>({{15, 15}}));
  EXPECT_EQ(outputs[ports[0].name].literal(), Literal::of<float>({{10, 10}}));
}

TEST(NamedCall, RefusesNamesThatNoInputHas) {
  const Model model = difference();
  const auto message = message_of<InvalidArgument>([&] {
    model({{"left", five()}, {"right", two()}, {"scal", two()}});
  });
  EXPECT_CONTAINS(message, "model 'difference' called on the inputs left, right, scal");
  EXPECT_CONTAINS(message,
                  "some of left, right, scale: the first, and each that has no default value");
  EXPECT_CONTAINS(message, "named_call_test.cc:");
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                    model(Batch({{"left", five()}}));
                  }),
                  "called on the inputs left");
}

}  // namespace
}  // namespace systolic
