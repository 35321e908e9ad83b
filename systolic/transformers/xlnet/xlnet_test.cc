// XLNet's streams and memory against transformers: golden/make_long_inputs.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

// A configuration of the recipe, over the one saved.
struct Kind {
  const char* name;
  Config::Map fields;
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"bi", {}},
      {"uni", {{"attn_type", "uni"}, {"mem_len", 5}}},
      {"same_length",
       {{"attn_type", "uni"}, {"same_length", true}, {"reuse_len", 4}, {"clamp_len", 6}}}};
  return all;
}

class XLNetTest : public testing::Test {
 protected:
  PretrainedModel model(const Kind& kind, std::vector<std::string> inputs) const {
    return XLNetLMHeadModel::from_pretrained(
        folder_, {.config = kind.fields, .optional_inputs = std::move(inputs)});
  }
  const Literal& wanted(const Kind& kind, const std::string& name) const {
    return values_[str(kind.name, ".", name)];
  }
  // The rows that the recipe has of that kind, by the names of the model's inputs.
  Example inputs(const Kind& kind, const std::vector<std::string>& names,
                 const std::string& ids = "input_ids") const {
    const int64_t rows = wanted(kind, "streams.logits").shape()[0];
    Example result;
    result.set("input_ids", front(values_[ids], rows));
    for (const std::string& name : names) {
      if (name != "input_ids" && values_.contains(name)) {
        result.set(name, front(values_[name], rows));
      }
    }
    return result;
  }
  static Literal front(const Literal& x, int64_t rows) { return x.rows(0, rows); }

  std::string folder_ = golden_folder("xlnet");
  Example values_ = io::read_safetensors(folder_ + "/streams.safetensors").tensors;
};

TEST_F(XLNetTest, PredictsInTheOrderOfAPermutation) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const PretrainedModel permuted = model(kind, {"perm_mask"});
    EXPECT_LT(
        largest_difference(permuted.predict_outputs(inputs(kind, permuted.input_names()))["logits"],
                           wanted(kind, "permuted.logits")),
        output_tolerance);
    PretrainedModel two = model(kind, {"perm_mask", "target_mapping"});
    const Example given = inputs(kind, two.input_names());
    const Literal logits = two.predict_outputs(given)["logits"];
    EXPECT_LT(largest_difference(logits, wanted(kind, "streams.logits")), output_tolerance);
    two.compile({.optimizer = "adam"});
    Example batch = given;
    batch.set("labels", front(values_["labels"], logits.shape()[0]));
    const Evaluation evaluation = two.evaluate(data::from_tensors(batch), {.verbose = 0});
    EXPECT_NEAR(evaluation["loss"], wanted(kind, "streams.loss").item<float>(), loss_tolerance);
  }
}

TEST_F(XLNetTest, RemembersTheSegmentBefore) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const PretrainedModel one = model(kind, {"mems"});
    Example given = inputs(kind, one.input_names());
    const int64_t rows = given["input_ids"].shape()[0];
    given.set("mems", Literal::zeros(DType::f32, {rows, 2, 0, 32}));
    const Example first = one.predict_outputs(given);
    EXPECT_LT(largest_difference(first["mems"], wanted(kind, "first.mems")), output_tolerance);
    given = inputs(kind, one.input_names(), "later_ids");
    given.set("mems", first["mems"]);
    const Example second = one.predict_outputs(given);
    EXPECT_LT(largest_difference(second["logits"], wanted(kind, "second.logits")),
              output_tolerance);
    EXPECT_LT(largest_difference(second["mems"], wanted(kind, "second.mems")), output_tolerance);
    const PretrainedModel every = model(kind, {"perm_mask", "target_mapping", "mems"});
    given = inputs(kind, every.input_names(), "later_ids");
    given.set("mems", first["mems"]);
    EXPECT_LT(
        largest_difference(every.predict_outputs(given)["logits"], wanted(kind, "all.logits")),
        output_tolerance);
  }
}

// golden/make_xlnet_generated.py
TEST_F(XLNetTest, WritesWhatTransformersDoes) {
  const Example golden = io::read_safetensors(folder_ + "/generated.safetensors").tensors;
  const GenerationConfig how{.max_new_tokens = 10, .eos_token_id = 59, .pad_token_id = 0};
  for (const char* kind : {"bi", "uni"}) {
    const PretrainedModel model =
        XLNetLMHeadModel::from_pretrained(folder_, {.config = {{"attn_type", kind}}});
    EXPECT_EQ(model.generate(Example{{"input_ids", golden["input_ids"]},
                                     {"attention_mask", golden["attention_mask"]}},
                             how),
              golden[kind])
        << kind;
    EXPECT_EQ(model.generate(golden["input_ids"].rows(0, 1), how), golden[kind].rows(0, 1)) << kind;
    EXPECT_THROW(model.generate(golden["input_ids"], {.assistant_model = &model}), Unimplemented);
  }
}

// Ids that take two or three of the digits that are kept.
TEST_F(XLNetTest, WritesWhatItsTwoStreamsSay) {
  const PretrainedModel model =
      XLNetLMHeadModel::from_config({.vocab_size = 70'000,
                                     .d_model = 16,
                                     .n_layer = 2,
                                     .n_head = 2,
                                     .d_inner = 16,
                                     .initializer_range = 0.5},
                                    {.optional_inputs = {"perm_mask", "target_mapping"}});
  std::vector<int32_t> text{7, 300, 69'999, 256};
  const Literal written =
      model.generate(Literal::from(text, {1, 4}), {.max_new_tokens = 4, .eos_token_id = -1});
  for (int64_t step = 0; step < 4; ++step) {
    const auto size = static_cast<int64_t>(text.size()) + 1;
    text.push_back(0);
    Literal hidden = Literal::zeros(DType::f32, {1, size, size}),
            place = Literal::zeros(DType::f32, {1, 1, size});
    for (int64_t row = 0; row < size; ++row)
      hidden.mutable_data<float>()[static_cast<size_t>((row + 1) * size - 1)] = 1;
    place.mutable_data<float>()[static_cast<size_t>(size - 1)] = 1;
    const Literal logits =
        model.predict_outputs(Example{{"input_ids", Literal::from(text, {1, size})},
                                      {"perm_mask", hidden},
                                      {"target_mapping", place}})["logits"];
    const auto scores = logits.data<float>();
    text.back() = static_cast<int32_t>(std::ranges::max_element(scores) - scores.begin());
    EXPECT_EQ(text.back(), written.integer_at(4 + step)) << step;
  }
}

TEST_F(XLNetTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(model(kinds()[0], {"mem"}), InvalidArgument);
  EXPECT_THROW(model(kinds()[0], {"mems", "mems"}), InvalidArgument);
  EXPECT_THROW(AutoModel::from_pretrained(golden_folder("bert"), {.optional_inputs = {"mems"}}),
               InvalidArgument);
  EXPECT_THROW(model({"", {{"bi_data", true}}}, {}), Unimplemented);
}

}  // namespace
}  // namespace systolic
