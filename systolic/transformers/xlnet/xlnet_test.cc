// XLNet's streams and memory against transformers: golden/make_long_inputs.py.
#include <gtest/gtest.h>

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

TEST_F(XLNetTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(model(kinds()[0], {"mem"}), InvalidArgument);
  EXPECT_THROW(model(kinds()[0], {"mems", "mems"}), InvalidArgument);
  EXPECT_THROW(AutoModel::from_pretrained(golden_folder("bert"), {.optional_inputs = {"mems"}}),
               InvalidArgument);
  EXPECT_THROW(model({"", {{"bi_data", true}}}, {}), Unimplemented);
}

}  // namespace
}  // namespace systolic
