// What a saved iterator does not fit is named, and what a state holds of elements is all of them.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <functional>
#include <optional>

#include "systolic/base/test_errors.h"
#include "systolic/data/dataset.h"
#include "systolic/data/state/state_archive.h"
#include "systolic/data/state/test_states.h"

namespace systolic {
namespace {

using data::Iterator;

TEST(IteratorState, AnotherPipelineIsNamed) {
  const std::string state = data::range(9).shuffle(4).batch(2).iterator().save();
  EXPECT_CONTAINS(error_of([&] { data::range(9).batch(2).iterator(state); }),
                  "FailedPrecondition: the saved iterator has 'shuffle' where this dataset has "
                  "'batch'");
  EXPECT_CONTAINS(error_of([&] { data::range(9).shuffle(5).batch(2).iterator(state); }),
                  "saved with buffer_size 4, this dataset has 5");
  const std::string shorter = error_of([&] { data::range(8).shuffle(4).batch(2).iterator(state); });
  EXPECT_CONTAINS(shorter, "saved with elements 9, this dataset has 8");
  EXPECT_CONTAINS(shorter, "\n  at ");
  EXPECT_CONTAINS(shorter, "iterator_state_faults_test.cc:");
}

// Numbers in a buffer are those of elements that there are, and as many as were read and not given.
TEST(IteratorState, NumbersThatAShuffleCannotHoldAreDamage) {
  constexpr size_t number = sizeof(uint64_t), held = 10, checksum = sizeof(uint32_t);
  const auto build = [] { return data::range(30).shuffle(held); };
  Iterator iterator = build().iterator();
  iterator.next();
  const std::string state = iterator.save();
  // The end: how many were drawn, read and are held, which ones, and the checksum.
  const size_t items = state.size() - checksum - held * number;
  const size_t count = items - number, read = count - number, drawn = read - number;
  const auto changed = [&](std::vector<std::pair<size_t, uint64_t>> places, bool without_items) {
    std::string bytes = state;
    for (const auto& [at, value] : places) std::memcpy(bytes.data() + at, &value, number);
    if (without_items) bytes.erase(items, held * number);
    return error_of([&] { build().iterator(with_checksum(bytes)); });
  };
  EXPECT_EQ(changed({{drawn, 1}, {read, 11}, {count, 10}}, false), "no error");  // as they are
  EXPECT_CONTAINS(changed({{drawn, 0}}, false), "DataLoss");
  EXPECT_CONTAINS(changed({{read, 30}}, false), "DataLoss");
  EXPECT_CONTAINS(changed({{read, 30}, {count, 0}}, true), "DataLoss");
  EXPECT_CONTAINS(changed({{items, 30}}, false), "DataLoss");
  EXPECT_EQ(changed({{items, 29}}, false), "no error");
}

TEST(IteratorState, AGeneratorThatGivesLessIsNamed) {
  const auto of = [](int count) {
    return data::from_generator([count] {
      return [count, n = 0]() mutable -> std::optional<Example> {
        if (n == count) return std::nullopt;
        return Example{{"n", Literal::scalar<int64_t>(n++)}};
      };
    });
  };
  Iterator iterator = of(9).iterator();
  for (int i = 0; i < 8; ++i) iterator.next();
  const std::string state = iterator.save();
  EXPECT_CONTAINS(error_of([&] { of(5).iterator(state); }), "ended after 5 elements, expected 8");
  using Empty = std::function<std::optional<Example>()>;
  EXPECT_CONTAINS(error_of([] { data::from_generator([] { return Empty(); }).first(); }),
                  "the function returned an empty std::function");
}

TEST(IteratorState, ElementsKeepEveryTypeAndShape) {
  const Example element{{"f", Literal::of<float>({{1, 2}, {3, 4}})},
                        {"s", Literal::strings({"", "ab"})},
                        {"b", Literal::scalar(true)},
                        {"none", Literal::zeros(DType::bf16, {0, 3})},
                        {"c", Literal::scalar(std::complex<double>(1, 2))}};
  EXPECT_EQ(data::decode_element(data::encode_element(element)), element);
  EXPECT_CONTAINS(error_of([] { data::decode_element("nothing of the kind"); }), "DataLoss");
}

}  // namespace
}  // namespace systolic
