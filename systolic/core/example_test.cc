#include "systolic/core/example.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

TEST(Example, KeepsOrderAndFindsByName) {
  Example e{{"image", Literal::zeros(DType::f32, {2, 2})}, {"label", Literal::scalar<int64_t>(7)}};
  EXPECT_EQ(e["label"].item<int64_t>(), 7);
  EXPECT_EQ(e.name(0), "image");
  EXPECT_EQ(e.value(1).item<int>(), 7);
  EXPECT_EQ(to_string(e), "{image: f32(2, 2), label: i64()}");
  EXPECT_EQ(e.byte_size(), 24u);
  e.set("label", Literal::scalar<int64_t>(8));
  e.set("weight", Literal::scalar(1.0f));
  EXPECT_EQ(e.size(), 3u);
  EXPECT_EQ(e["label"].item<int>(), 8);
}

TEST(Example, TakesVectorsNumbersAndTexts) {
  const std::vector<std::string> texts = {"a b", ""};
  const std::vector<bool> flags = {true, false};
  const Example e{{"text", texts},   {"id", std::vector<int32_t>{4, 5}},
                  {"flag", flags},   {"none", std::vector<float>{}},
                  {"label", 7},      {"weight", 0.5},
                  {"file", "7.jpg"}, {"name", texts[0]}};
  const Example same{
      {"text", Literal::strings(texts)},          {"id", Literal::of<int32_t>({4, 5})},
      {"flag", Literal::of<bool>({true, false})}, {"none", Literal(DType::f32, {0})},
      {"label", Literal::scalar<int32_t>(7)},     {"weight", Literal::scalar(0.5)},
      {"file", Literal::scalar("7.jpg")},         {"name", Literal::scalar("a b")}};
  EXPECT_EQ(e, same) << to_string(e);
}

TEST(Example, WrongNameListsWhatIsThere) {
  const Example e{{"image", Literal()}, {"label", Literal()}};
  const std::string message = message_of<NotFound>([&] { (void)e["imgae"]; });
  EXPECT_CONTAINS(message,
                  "the element has no 'imgae', got image, label.\n  hint: did you mean 'image'.");
  EXPECT_CONTAINS(message, "example_test.cc:");
  EXPECT_THROW(e.only(), InvalidArgument);
  EXPECT_THROW(e.value(2), InvalidArgument);
}

TEST(Example, RefusesANameTwice) {
  for (const int count : {2, 3, 16, 17, 100}) {
    Example::Components components;
    for (int i = 0; i < count; ++i) components.push_back({str(i), Literal()});
    EXPECT_EQ(Example(components).size(), static_cast<size_t>(count));
    components.front().name = components.back().name;
    EXPECT_THROW(Example{components}, InvalidArgument) << count;
  }
}

}  // namespace
}  // namespace systolic
