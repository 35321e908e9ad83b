// What stands beside rows of tokens: classes, a class for each token, places of answers, weights.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/transformers/prepare_dataset.h"
#include "systolic/transformers/test_letters.h"

namespace systolic {
namespace {

Tokenizer padding_in_front() {
  Tokenizer tokenizer = letters();
  tokenizer.set_padding_side("left");
  return tokenizer;
}

const PrepareOptions in_order{.batch_size = 2, .shuffle = false, .pad_to_multiple_of = 4};

TEST(PrepareLabels, LabelsOfTokensArePaddedAsTheTokensAre) {
  const CaughtLog log;
  // The label of the token 10 + i is i; that of the one left out is 99.
  const data::Dataset dataset = tokenized({2, 3}, [](int64_t, int64_t length) -> Example {
    std::vector<int64_t> labels{99};
    for (int64_t i = 0; i < length; ++i) labels.push_back(i);
    return {{"labels", Literal::from(labels, {length + 1})}};
  });
  const Example after = prepare_dataset(dataset, letters(), in_order).dataset.first();
  EXPECT_EQ(after["input_ids"], Literal::of<int32_t>({{10, 11, 0, 0}, {10, 11, 12, 0}}));
  EXPECT_EQ(after["labels"], Literal::of<int32_t>({{0, 1, -100, -100}, {0, 1, 2, -100}}));
  const Example in_front = prepare_dataset(dataset, padding_in_front(), in_order).dataset.first();
  EXPECT_EQ(in_front["input_ids"], Literal::of<int32_t>({{0, 0, 10, 11}, {0, 10, 11, 12}}));
  EXPECT_EQ(in_front["labels"], Literal::of<int32_t>({{-100, -100, 0, 1}, {-100, 0, 1, 2}}));
}

TEST(PrepareLabels, PositionsOfAnswersMoveWithTheTokens) {
  const CaughtLog log;
  // Counted with the token that is left out: the token 10 is at 1.
  const data::Dataset dataset = tokenized({2, 3}, [](int64_t row, int64_t length) -> Example {
    return {{"start_positions", Literal::scalar<int64_t>(row)},
            {"end_positions", Literal::scalar<int64_t>(length + row)}};
  });
  const Example after = prepare_dataset(dataset, letters(), in_order).dataset.first();
  EXPECT_EQ(after["start_positions"], Literal::of<int32_t>({-100, 0}));
  EXPECT_EQ(after["end_positions"], Literal::of<int32_t>({1, -100}));
  EXPECT_CONTAINS(log.lines(), "2 of 2 answers after the tokens of the text, where none counts");
  const Example in_front = prepare_dataset(dataset, padding_in_front(), in_order).dataset.first();
  EXPECT_EQ(in_front["start_positions"], Literal::of<int32_t>({-100, 1}));
  EXPECT_EQ(in_front["end_positions"], Literal::of<int32_t>({3, -100}));
  // For texts, the tokens that truncation left count.
  const auto cut = texts(13).skip(3).take(1).map([](const Example& e) -> Example {
    return {{"text", e["sentence"]},
            {"start_positions", Literal::scalar<int64_t>(1)},
            {"end_positions", Literal::scalar<int64_t>(4)}};
  });
  PrepareOptions short_texts = in_order;
  short_texts.max_length = 4;
  const Example batch = prepare_dataset(cut, letters(), short_texts).dataset.first();
  EXPECT_EQ(batch["input_ids"].shape(), (Shape{1, 4}));
  EXPECT_EQ(batch["start_positions"], Literal::of<int32_t>({1}));
  EXPECT_EQ(batch["end_positions"], Literal::of<int32_t>({-100}));
}

TEST(PrepareLabels, PositionsAreTokensOrNone) {
  const CaughtLog log;
  const auto prepared = [](int32_t position) {
    const auto rows = texts(4).map([position](const Example& e) -> Example {
      return {{"text", e["sentence"]},
              {"start_positions", Literal::scalar(position)},
              {"end_positions", Literal::scalar(position)}};
    });
    return prepare_dataset(rows, letters(), in_order).dataset.first();
  };
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { prepared(-7); }),
                  "'start_positions' of sample 0 is -7, expected a token's place, from 0 on, or "
                  "-100 where there is no answer");
  prepared(-100);
  EXPECT_EQ(log.lines().find("answer"), std::string::npos) << log.lines();
  prepared(4);
  EXPECT_CONTAINS(log.lines(), "3 of 4 answers after the tokens");
}

TEST(PrepareLabels, TextsThatAreLabelsAreNoPairs) {
  const CaughtLog log;
  const data::Dataset rows = data::from_tensor_slices(
      {{"text", std::vector<std::string>{"a b"}}, {"label", std::vector<std::string>{"c"}}});
  const auto masked =
      prepare_dataset(rows, letters(), {.mlm_probability = 1e-9, .mask_token = "a"});
  EXPECT_EQ(masked.tokens, 4);
  EXPECT_CONTAINS(error_of([&] { prepare_dataset(rows, letters()); }),
                  "label 'label' of sample 0 is a text");
  const data::Dataset pairs = data::from_tensor_slices(
      {{"one", std::vector<std::string>{"a b"}}, {"other", std::vector<std::string>{"c"}}});
  EXPECT_EQ(prepare_dataset(pairs, letters()).tokens, 6);
  EXPECT_CONTAINS(log.lines(), "each 'one' is paired with its 'other'");
}

TEST(PrepareLabels, RefusesLabelsThatDoNotFit) {
  const CaughtLog log;
  const Tokenizer tokenizer = letters();
  using Labels = std::function<Example(int64_t row, int64_t length)>;
  const auto integers = [](int64_t count) {
    return Literal::from(std::vector<int64_t>(static_cast<size_t>(count), 1), {count});
  };
  const std::pair<Labels, const char*> table[] = {
      {[](int64_t row, int64_t) -> Example {
         if (row == 1) return {};
         return {{"label", Literal::scalar<int64_t>(row)}};
       },
       "sample 1 has no label 'label'"},
      {[](int64_t row, int64_t) -> Example {
         if (row != 1) return {};
         return {{"labels", Literal::scalar<int64_t>(row)}};
       },
       "sample 1 has a label 'labels'"},
      {[](int64_t row, int64_t) -> Example {
         return {{"label", Literal::scalar<int64_t>(row == 2 ? int64_t{1} << 32 : 0)}};
       },
       "label 'label' of sample 2 is 4294967296"},
      {[](int64_t row, int64_t) -> Example {
         if (row == 2) return {{"label", Literal::scalar(0.5f)}};
         return {{"label", Literal::scalar<int64_t>(0)}};
       },
       "label 'label' of sample 2 is f32()"},
      {[&](int64_t row, int64_t length) -> Example {
         return {{"labels", integers(row == 1 ? length : length + 1)}};
       },
       "an integer for each token"},
  };
  for (const auto& row : table) {
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] {
                      prepare_dataset(tokenized({2, 3, 5}, row.first), tokenizer, in_order);
                    }),
                    row.second);
  }
  const data::Dataset tables = data::from_tensor_slices(
      {{"text", std::vector<std::string>{"a", "b"}}, {"label", std::vector<double>{1, NAN}}});
  EXPECT_CONTAINS(
      message_of<InvalidArgument>([&] { prepare_dataset(tables, tokenizer, in_order); }),
      "label 'label' of sample 1 is NaN");
  const auto large =
      data::from_tensors(Example{{"input_ids", Literal::of<int64_t>({1, int64_t{1} << 33})}});
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { prepare_dataset(large, tokenizer, in_order); }),
                  "'input_ids' holds 8589934592");
}

TEST(PrepareLabels, WeightsStandBesideLabels) {
  const CaughtLog log;
  const auto weighed = [](const char* label) {
    return data::from_tensor_slices({{"text", std::vector<std::string>{"a", "b"}},
                                     {label, std::vector<int32_t>{1, 0}},
                                     {"sample_weight", std::vector<int32_t>{3, 0}}});
  };
  const Example batch = prepare_dataset(weighed("label"), letters(), in_order).dataset.first();
  EXPECT_EQ(batch["sample_weight"], Literal::of<float>({3, 0}));
  EXPECT_EQ(batch["label"], Literal::of<int32_t>({1, 0}));
  EXPECT_FALSE(prepare_dataset(weighed("other"), letters(), in_order)
                   .dataset.first()
                   .contains("sample_weight"));
}

}  // namespace
}  // namespace systolic
