#include "systolic/data/nested.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using data::Dataset;

const Example pairs{{"x", Literal::of<int64_t>({1, 2, 3})}, {"y", Literal::of<float>({4, 5, 6})}};

TEST(Nested, PartsAreNamesWithASlash) {
  const Literal one = Literal::scalar<int64_t>(1), two = Literal::scalar<float>(2);
  const Example element = data::nested(
      {{"features", data::nested({{"a", {{"x", one}, {"y", two}}}, {"b", {{"", two}}}})},
       {"label", {{"", one}}}});
  EXPECT_EQ(to_string(element),
            "{features/a/x: i64(), features/a/y: f32(), features/b: f32(), label: i64()}");
  EXPECT_EQ(data::part_names(element), (std::vector<std::string>{"features", "label"}));
  const Example features = data::part(element, "features");
  EXPECT_EQ(features.names(), (std::vector<std::string>{"a/x", "a/y", "b"}));
  EXPECT_EQ(data::part(features, "a")["y"], two);
  EXPECT_CONTAINS(error_of([&] { data::part(element, "feature"); }),
                  "no part 'feature', got features, label");
}

TEST(Nested, DatasetsAreZippedAsParts) {
  const Dataset rows = data::from_tensor_slices(pairs);
  const Dataset both = data::zip({{"left", rows}, {"right", rows.skip(1)}});
  EXPECT_EQ(to_string(both.element_spec()),
            "{left/x: i64(), left/y: f32(), right/x: i64(), right/y: f32()}");
  EXPECT_EQ(both.cardinality(), 2);
  EXPECT_EQ(data::part(both.batch(2).first(), "right")["y"], Literal::of<float>({5, 6}));
}

TEST(Nested, FunctionsTakeAndGiveNestedTuples) {
  const Dataset rows = data::from_tensor_slices(pairs);
  const Dataset both = data::zip({{"left", rows}, {"right", rows}});
  const Dataset turned = both.map(data::typed(
      [](std::pair<int64_t, float> left, std::tuple<int64_t, std::span<const float>> right) {
        return std::tuple(std::pair(left.second, left.first), "name", std::get<1>(right)[0] + 1);
      }));
  EXPECT_EQ(to_string(turned.element_spec()), "{x/x: f32(), x/y: i64(), y: string(), x2: f32()}");
  const Example second = turned.skip(1).first();
  EXPECT_EQ(second["x/x"].item<float>(), 5);
  EXPECT_EQ(second["x/y"].item<int64_t>(), 2);
  EXPECT_EQ(second["x2"].item<float>(), 6);
  EXPECT_EQ(rows.map(data::typed([](int64_t a, float b) { return static_cast<float>(a) + b; }))
                .first()
                .only()
                .item<float>(),
            5);
}

TEST(Nested, OtherTypesNameBoth) {
  const Dataset rows = data::from_tensor_slices(pairs);
  const Dataset wrong = rows.map(
      data::typed([](std::pair<int64_t, int64_t> point) { return point.first; }), {}, {"a.cc", 7});
  expect_parts(error_of([&] { wrong.first(); }),
               {"map at a.cc:7, element 0", "the function takes ((i64(), i64()))",
                "the element is {x: i64(), y: f32()}"});
  EXPECT_CONTAINS(error_of([&] { rows.map(data::typed([](int64_t a) { return a; })).first(); }),
                  "the function takes (i64()), the element is");
}

}  // namespace
}  // namespace systolic
