// What is DeBERTa's alone; outputs and losses stand in ../pretrained_test.cc.
#include <gtest/gtest.h>

#include <cstdio>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/deberta/deberta_body.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

TEST(DebertaDistances, AreThoseOfTransformers) {
  const Example golden =
      io::read_safetensors(golden_folder("deberta_v2") + "/distances.safetensors").tensors;
  for (const auto& [name, rows] : golden) {
    long count = 0, largest = 0;
    ASSERT_EQ(std::sscanf(name.c_str(), "%ld.%ld", &count, &largest), 2);
    const DistanceTable table{.count = count, .max_distance = largest};
    for (int64_t i = 0; i < rows.size(); ++i)
      EXPECT_EQ(table.row(i - rows.size() / 2), rows.integer_at(i)) << name << " " << i;
  }
}

TEST(DebertaConfig, AttentionIsAListOrATextWithBars) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& types) {
    put_file(folder / "config.json",
             R"({"model_type": "deberta-v2", "pos_att_type": )" + types + "}");
    return PretrainedConfig::from_pretrained(folder / "").entries(Task::features)["pos_att_type"];
  };
  const Config both = Config::List{"p2c", "c2p"};
  EXPECT_EQ(read(R"(["p2c", "c2p"])"), both);
  EXPECT_EQ(read(R"("p2c | c2p")"), both);
  EXPECT_TRUE(read("null").is_null());
}

TEST(DebertaConfig, WhatCannotBeIsNamed) {
  const struct {
    const char* fields;
    std::vector<std::string> parts;
  } table[] = {
      {R"("pos_att_type": ["p2p"])", {"'pos_att_type'", "p2p", "c2p"}},
      {R"("pos_att_type": [7])", {"'pos_att_type'", "7"}},
      {R"("position_buckets": 1)", {"'position_buckets'", "2 or more"}},
      {R"("position_buckets": 64, "max_relative_positions": 32)",
       {"'position_buckets'", "up to 32"}},
      {R"("conv_kernel_size": 4)", {"'conv_kernel_size'", "an odd number"}},
      {R"("conv_kernel_size": 3, "conv_groups": 7)", {"'hidden_size'", "conv_groups 7"}},
      {R"("num_attention_heads": 7)", {"'hidden_size'", "a multiple of 7"}},
      {R"("attention_head_size": 8)", {"'attention_head_size'", "got 8", "64"}},
      {R"("norm_rel_ebd": "batch_norm")", {"'norm_rel_ebd'", "layer_norm"}},
      {R"("legacy": false, "embedding_size": 12)", {"'embedding_size'", "hidden_size, 1536"}}};
  const TemporaryFolder folder;
  for (const auto& row : table) {
    put_file(folder / "config.json", str(R"({"model_type": "deberta-v2", )", row.fields, "}"));
    expect_parts(message_of([&] { PretrainedConfig::from_pretrained(folder / ""); }), row.parts);
  }
}

// Without a table of positions there is no longest text.
TEST(Deberta, TextsMayBeLongerThanItsPositions) {
  const CaughtLog log;
  const PretrainedModel model = DebertaV2Model::from_pretrained(golden_folder("deberta_v2"));
  const Literal ids = Literal::filled(DType::i32, {1, 40}, 7);
  EXPECT_EQ(model.predict_outputs(Example{{"input_ids", ids}})["last_hidden_state"].shape(),
            (Shape{1, 40, 32}));
}

}  // namespace
}  // namespace systolic
