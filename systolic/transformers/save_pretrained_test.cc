// What a folder holds after save_pretrained, also where some of it cannot be written.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/folder/tensor_folder.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

const std::string weights_name = "model.safetensors", config_name = "config.json",
                  generation_name = "generation_config.json";

PretrainedModel small_gpt2(int64_t tokens) {
  return GPT2LMHeadModel::from_config(
      {.vocab_size = tokens, .n_positions = 16, .n_embd = 8, .n_layer = 1, .n_head = 2});
}

// The file to be saved that a folder is in the way of, and another one, which must stay.
TEST(SavePretrained, WhereAFileCannotBeWrittenTheEarlierSaveStays) {
  const struct {
    std::string blocked, stays;
  } table[] = {{config_name, weights_name}, {weights_name, config_name}};
  for (const auto& row : table) {
    const TemporaryFolder folder;
    small_gpt2(30).save_pretrained(folder / "");
    const std::string before = io::read_file(folder / row.stays);
    std::filesystem::remove(folder / row.blocked);
    std::filesystem::create_directory(folder / row.blocked);
    EXPECT_NE(error_of([&] { small_gpt2(40).save_pretrained(folder / ""); }).find(row.blocked),
              std::string::npos);
    EXPECT_EQ(io::read_file(folder / row.stays), before) << row.stays;
    const auto left = std::filesystem::directory_iterator(folder / "");
    EXPECT_EQ(std::distance(begin(left), end(left)), 2) << "temporary files remain";
  }
}

TEST(SavePretrained, WritesNarrowTypesAndSeveralFiles) {
  const PretrainedModel model = small_gpt2(30);
  for (const auto& [dtype, name] :
       {std::pair(DType::bf16, "bfloat16"), std::pair(DType::f16, "float16")}) {
    const TemporaryFolder folder;
    model.save_pretrained(folder / "", {.dtype = dtype, .max_shard_size = 1000});
    EXPECT_TRUE(io::exists(folder / (weights_name + ".index.json")));
    EXPECT_NE(io::read_file(folder / config_name).find(str("\"dtype\": \"", name, "\"")),
              std::string::npos);
    for (const io::TensorInfo& tensor : io::open_tensor_folder(folder / "").tensors())
      EXPECT_EQ(tensor.dtype, dtype) << tensor.name;
    const std::vector<Literal> wanted = model.get_weights(),
                               read =
                                   AutoModelForCausalLM::from_pretrained(folder / "").get_weights();
    ASSERT_EQ(read.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(read[i], wanted[i].convert(dtype).convert(DType::f32)) << i;
  }
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] {
              model.save_pretrained(folder / "", {.dtype = DType::i8});
            }).find("expected f32, bf16 or f16"),
            std::string::npos);
  EXPECT_FALSE(io::exists(folder / config_name));
}

TEST(SavePretrained, LeavesNoGenerationConfigOfAnotherModel) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "first");
  const auto copy = [&](const std::string& name) {
    std::filesystem::copy_file(golden_folder("gpt2") + "/" + name, folder / ("first/" + name));
  };
  copy(config_name);
  copy(weights_name);
  put_file(folder / ("first/" + generation_name), R"({"max_new_tokens": 3})");
  const PretrainedModel first = AutoModelForCausalLM::from_pretrained(folder / "first");
  first.save_pretrained(folder / "saved");
  EXPECT_EQ(io::read_file(folder / ("saved/" + generation_name)), "{\"max_new_tokens\": 3}\n");
  small_gpt2(30).save_pretrained(folder / "saved");
  EXPECT_FALSE(io::exists(folder / ("saved/" + generation_name)));
  const PretrainedModel read = AutoModelForCausalLM::from_pretrained(folder / "saved");
  EXPECT_EQ(read.generate(Literal::of<int32_t>({{1, 2}}), {.eos_token_id = -1}).shape(),
            Shape({1, 16}));
}

}  // namespace
}  // namespace systolic
