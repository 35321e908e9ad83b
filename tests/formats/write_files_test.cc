// Writes the files of a version, where SYSTOLIC_WRITE_FORMATS names the folder.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "systolic/io/tensor_bundle/tensor_bundle.h"
#include "systolic/io/tensors/torch/torch_file_write.h"
#include "tests/formats/written_files.h"

namespace systolic {
namespace {

void write_arrays(const std::string& folder) {
  const Example arrays = formats::arrays();
  io::write_npy(folder + "/matrix.npy", arrays["matrix"]);
  io::write_npz(folder + "/arrays.npz", arrays);
  io::write_safetensors(folder + "/arrays.safetensors", arrays, {{"format", "pt"}});
  io::save_tensor_folder(folder + "/shards", arrays, {.max_shard_size = 64});
  io::write_idx(folder + "/matrix.idx", arrays["matrix"]);
  io::NamedLiterals named;
  io::TensorBundleWriter bundle(folder + "/bundle");
  for (const auto& [name, array] : arrays) {
    named.emplace_back(name, array);
    bundle.add(name, array);
  }
  io::write_torch_file(folder + "/arrays.bin", named);
  bundle.close();
}

void write_records(const std::string& folder) {
  for (const auto& [name, compression] :
       {std::pair("records.tfrec", io::Compression::none), {"records.gz", io::Compression::gzip}}) {
    io::TFRecordWriter writer(str(folder, "/", name), {.compression = compression});
    for (int64_t i = 0; i < formats::records; ++i) writer.write(formats::record(i));
    writer.close();
  }
  formats::pipeline().save(folder + "/dataset");
  for (const Example& each : formats::pipeline().cache(folder + "/cache"))
    EXPECT_GT(each.size(), 0);
}

// What a model is after some epochs with a callback that saves them.
Example weights_after_run(const CallbackPtr& saver) {
  const formats::Batches data;
  Model run = formats::model();
  run.fit(data.x, data.y,
          {.epochs = formats::epochs_done, .batch_size = 4, .callbacks = {saver}, .verbose = 0});
  Example after;
  for (const Variable& weight : run.weights()) after.set(weight.name(), weight.literal());
  return after;
}

void write_models(const std::string& folder) {
  const formats::Batches data;
  formats::model().save_weights(folder + "/weights.safetensors");
  constexpr double kib = 1.0 / 1024 / 1024;
  formats::model().save_weights(folder + "/sharded.weights.json", {.max_shard_size = kib / 8});
  Model saved = formats::model();
  saved.save(folder + "/model.keras");
  io::write_npz(folder + "/run/after.npz",
                weights_after_run(
                    BackupAndRestore{.backup_dir = folder + "/run", .delete_checkpoint = false}));
  io::write_npz(folder + "/steps/after.npz",
                weights_after_run(TrainingCheckpoint{.directory = folder + "/steps"}));
  io::write_npz(folder + "/predictions.npz", {{"model", saved.predict(data.x)}});
}

void write_texts(const std::string& folder) {
  Tokenizer tokenizer = NewTokenizer::bert_word_piece();
  tokenizer.train(formats::texts(), {.vocab_size = 40});
  tokenizer.save_pretrained(folder + "/bert");
  BertModel::from_config({.vocab_size = static_cast<int64_t>(tokenizer.vocab_size()),
                          .hidden_size = 4,
                          .num_hidden_layers = 1,
                          .num_attention_heads = 2,
                          .intermediate_size = 4,
                          .max_position_embeddings = 16})
      .save_pretrained(folder + "/bert");
}

TEST(WriteFormats, OfThisVersion) {
  const char* folder = std::getenv("SYSTOLIC_WRITE_FORMATS");
  if (folder == nullptr) return;  // written when a version is tagged, and never again
  ASSERT_FALSE(std::filesystem::exists(folder)) << "the files of a version are never replaced";
  std::filesystem::create_directories(folder);
  write_arrays(folder);
  write_records(folder);
  write_models(folder);
  write_texts(folder);
}

}  // namespace
}  // namespace systolic
