// Real weights: MiniLM-L6 (sentence-transformers/all-MiniLM-L6-v2, 22 million weights), where its
// folder lies at $SYSTOLIC_MINILM or .cache/minilm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "systolic/io/files/file.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::string minilm_folder() {
  const char* named = std::getenv("SYSTOLIC_MINILM");
  return named != nullptr ? named : test::source_path(".cache/minilm");
}

TEST(MiniLMTest, HiddenStatesAreThoseOfTransformers) {
  const std::string folder = minilm_folder();
  if (!io::exists(folder + "/model.safetensors")) {
    GTEST_SKIP() << "no MiniLM in " << folder
                 << ": SYSTOLIC_MINILM names the folder of sentence-transformers/all-MiniLM-L6-v2";
  }
  const Golden golden("minilm");
  const PretrainedModel model = AutoModel::from_pretrained(folder);
  EXPECT_EQ(model.class_name(), "BertModel");
  EXPECT_EQ(model.count_params(), 22'713'216);
  const Example inputs = golden.inputs(model.input_names());
  const Example outputs = model.predict_outputs(inputs);
  EXPECT_LT(
      largest_difference(outputs["pooler_output"], golden.value(Task::features, "pooler_output")),
      output_tolerance);
  // The states of tokens; those of padding, which nothing reads, are rounded ten times as much.
  const Literal& mask = inputs["attention_mask"];
  const int64_t size = outputs["last_hidden_state"].shape()[2];
  Literal got = outputs["last_hidden_state"],
          wanted = golden.value(Task::features, "last_hidden_state");
  for (int64_t token = 0; token < mask.size(); ++token) {
    if (mask.number_at(token) != 0) continue;
    for (Literal* states : {&got, &wanted})
      std::fill_n(states->mutable_data<float>().begin() + token * size, size, 0.0f);
  }
  EXPECT_LT(largest_difference(got, wanted), output_tolerance);
}

}  // namespace
}  // namespace systolic
