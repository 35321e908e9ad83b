// Real weights: MiniLM-L6 (sentence-transformers/all-MiniLM-L6-v2, 22 million weights), where its
// folder lies at $SYSTOLIC_MINILM or .cache/minilm.
#include <gtest/gtest.h>

#include <cstdlib>

#include "systolic/io/file.h"
#include "systolic/models/auto_model.h"
#include "systolic/models/test_golden.h"

namespace systolic {
namespace {

std::string minilm_folder() {
  const char* named = std::getenv("SYSTOLIC_MINILM");
  return named != nullptr ? named : str(SYSTOLIC_SOURCE_DIR, "/.cache/minilm");
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
  const Example outputs = model.predict_outputs(golden.inputs(model.input_names()));
  for (const char* name : {"last_hidden_state", "pooler_output"}) {
    EXPECT_LT(largest_difference(outputs[name], golden.value(Task::features, name)), 1e-4) << name;
  }
}

}  // namespace
}  // namespace systolic
