// Names against patterns; the answers are those of peft 0.21's check_target_module_exists and
// get_pattern_key.
#include "systolic/transformers/peft/module_pattern.h"

#include <gtest/gtest.h>

#include "systolic/transformers/peft/adapted_modules.h"

namespace systolic {
namespace {

TEST(ModulePattern, MatchesAsPeftDoes) {
  const struct {
    ModuleNames names;
    const char* module;
    bool wanted;
  } table[] = {
      {{"q_proj"}, "model.layers.0.self_attn.q_proj", true},
      {{"q_proj"}, "model.layers.0.self_attn.xq_proj", false},
      {{"self_attn.q_proj"}, "model.layers.0.self_attn.q_proj", true},
      {{"q_proj", "v_proj"}, "v_proj", true},
      {"q_proj", "model.q_proj", false},
      {R"(.*\.(q|v)_proj)", "model.layers.11.self_attn.v_proj", true},
      {R"(.*\.(q|v)_proj)", "model.layers.11.self_attn.v_proj_2", false},
      {R"(model\.layers\.[0-3]\..*)", "model.layers.3.mlp.up_proj", true},
      {{}, "model", false},
  };
  for (const auto& row : table) EXPECT_EQ(row.names.contains(row.module), row.wanted) << row.module;
  EXPECT_TRUE(matches_end("mlp.down_proj", "model.layers.0.mlp.down_proj"));
  EXPECT_TRUE(matches_end("down_proj|up_proj", "up_proj"));
  EXPECT_FALSE(matches_end("proj", "model.layers.0.mlp.down_proj"));
}

TEST(ModulePattern, FindsTheLayersNumber) {
  const struct {
    const char *module, *pattern;
    std::optional<int64_t> wanted;
  } table[] = {
      {"model.layers.3.mlp.up_proj", "", 3},
      {"model.layers.3.experts.1.up_proj", "", 3},
      {"h.3.attn.c_attn", "", {}},  // peft asks for a part in front of the list
      {"h.3.attn.c_attn", "h", 3},
      {"encoder.layer.12.attention", "layer", 12},
      {"encoder.layer.12.attention", "block", {}},
      {"encoder.layer.99999999999999999999.attention", "", {}},
      {"lm_head", "", {}},
  };
  for (const auto& row : table)
    EXPECT_EQ(layer_number(row.module, row.pattern), row.wanted) << row.module;
}

TEST(ModulePattern, KnowsWhatLiesInAModule) {
  EXPECT_TRUE(lies_in("classifier.dense.weight", {"classifier"}));
  EXPECT_TRUE(lies_in("pre_classifier.bias", {"classifier"}));  // as peft has it
  EXPECT_TRUE(lies_in("score", {"classifier", "score"}));
  EXPECT_FALSE(lies_in("bert.pooler.dense", {"classifier", "score"}));
}

}  // namespace
}  // namespace systolic
