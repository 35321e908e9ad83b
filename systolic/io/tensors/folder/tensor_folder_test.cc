// Checkpoints of one file and of several: round trips, and folders that are not whole.
#include "systolic/io/tensors/folder/tensor_folder.h"

#include <cstring>
#include <filesystem>
#include <utility>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"

namespace systolic {
namespace {

const Example& weights() {
  static const Example all{{"embedding.weight", Literal::of<float>({{1, 2, 3}, {4, 5, 6}})},
                           {"dense.bias", Literal::of<int32_t>({7, 8})},
                           {"mask", Literal::of<uint8_t>({1, 0, 1})},
                           {"scale", Literal::scalar(2.5f)}};
  return all;
}

TEST(TensorFolder, PointersOfGitLfsAreNoWeights) {
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
    const TemporaryFolder folder;
    put_file(folder / name, "version https://git-lfs.github.com/spec/v1\nsize 90868376\n");
    const std::string error = error_of([&] { io::open_tensor_folder(folder / ""); });
    EXPECT_CONTAINS(error, str(name, "' is a Git LFS pointer"));
    EXPECT_CONTAINS(error, "git lfs pull");
  }
}

std::vector<std::string> names_in(const std::string& folder) {
  return io::file_system(folder).list(folder, 100);
}

void expect_weights(const io::TensorFolder& read) {
  EXPECT_EQ(read.tensors().size(), weights().size());
  for (const auto& [name, value] : weights()) {
    ASSERT_TRUE(read.contains(name)) << name;
    EXPECT_EQ(read.find(name)->dtype, value.dtype());
    EXPECT_EQ(read.find(name)->shape, value.shape());
    EXPECT_EQ(read.read(name), value) << name;
  }
}

TEST(TensorFolder, ReadsBackWhatItSaved) {
  TemporaryFolder folder;
  io::save_tensor_folder(folder / "new/folder", weights());
  EXPECT_EQ(names_in(folder / "new/folder"), std::vector<std::string>{"model.safetensors"});
  const io::TensorFolder read = io::open_tensor_folder(folder / "new/folder");
  expect_weights(read);
  EXPECT_EQ(read.metadata().at("format"), "pt");
  EXPECT_EQ(read.read("dense.bias", DType::f32), Literal::of<float>({7, 8}));
  expect_weights(io::open_tensor_folder(folder / "new/folder/model.safetensors"));
  EXPECT_CONTAINS(error_of([&] { read.read("dense.bais"); }), "did you mean dense.bias");
}

TEST(TensorFolder, SplitsIntoShards) {
  TemporaryFolder folder;
  io::save_tensor_folder(folder / "", weights(), {.max_shard_size = 27});
  EXPECT_EQ(names_in(folder / "").size(), 3u);  // of 24 and of 8 + 3 + 4 bytes, and their index
  expect_weights(io::open_tensor_folder(folder / ""));
  const std::vector<std::string> three = {
      "model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors",
      "model-00003-of-00003.safetensors", "model.safetensors.index.json"};
  io::save_tensor_folder(folder / "", weights(), {.max_shard_size = 12});
  EXPECT_EQ(names_in(folder / ""), three);
  expect_weights(io::open_tensor_folder(folder / ""));
  expect_weights(io::open_tensor_folder(folder / "model.safetensors.index.json"));
  EXPECT_CONTAINS(io::read_file(folder / "model.safetensors.index.json"), "\"total_size\": 39");
  EXPECT_EQ(io::read_safetensors(folder / three[0]).tensors.names(),
            std::vector<std::string>{"embedding.weight"});
  io::save_tensor_folder(folder / "", weights());  // in their place
  EXPECT_EQ(names_in(folder / ""), std::vector<std::string>{"model.safetensors"});
}

// The local disk under "crash://", for a program that ends after that many more changes.
class EndsAfter : public io::FileSystem {
 public:
  int changes_left = 0;

  std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation at) override {
    return disk_.open(local(path), at);
  }
  std::unique_ptr<io::WritableFile> create(const std::string& path, SourceLocation at) override {
    return std::make_unique<Written>(*this, disk_.create(local(path), at));
  }
  std::optional<io::FileStatus> status(const std::string& path, SourceLocation at) override {
    return disk_.status(local(path), at);
  }
  std::vector<std::string> glob(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> list(const std::string& path, size_t most, SourceLocation at) override {
    return disk_.list(local(path), most, at);
  }
  void remove(const std::string& path, SourceLocation at) override {
    count_change();
    disk_.remove(local(path), at);
  }
  void rename(const std::string&, const std::string&, SourceLocation) override {}

 private:
  class Written : public io::WritableFile {
   public:
    Written(EndsAfter& place, std::unique_ptr<io::WritableFile> file)
        : place_(place), file_(std::move(file)) {}
    const std::string& path() const override { return file_->path(); }
    void write(const void* data, size_t size) override { file_->write(data, size); }
    void commit() override {
      place_.count_change();
      file_->commit();
    }

   private:
    EndsAfter& place_;
    std::unique_ptr<io::WritableFile> file_;
  };
  void count_change() {
    if (changes_left-- == 0) raise<Unavailable>({.what = "the program ended"});
  }
  static std::string local(const std::string& path) { return path.substr(std::strlen("crash:/")); }
  io::FileSystem& disk_ = io::file_system("");
};

TEST(TensorFolder, ASaveThatIsCutOffLeavesTheEarlierOneOrItself) {
  const auto place = std::make_shared<EndsAfter>();
  io::register_file_system("crash", place);
  Example others;
  for (const auto& [name, value] : weights())
    others.set(name, Literal::filled(value.dtype(), value.shape(), 1));
  constexpr uint64_t three_shards = 12, one_file = 1000;
  for (const auto& [before, after] :
       {std::pair(three_shards, three_shards), std::pair(three_shards, one_file),
        std::pair(one_file, three_shards), std::pair(one_file, one_file)}) {
    bool ended = true;
    for (int changes = 0; ended; ++changes) {
      const TemporaryFolder folder;
      io::save_tensor_folder(folder / "", weights(), {.max_shard_size = before});
      place->changes_left = changes;
      const uint64_t size = after;
      const std::string error = error_of([&] {
        io::save_tensor_folder("crash:/" + (folder / ""), others, {.max_shard_size = size});
      });
      ended = error != "no error";
      const io::TensorFolder read = io::open_tensor_folder(folder / "");
      const bool earlier = read.read("scale") == weights()["scale"];
      EXPECT_TRUE(earlier || changes > 0);
      for (const auto& [name, value] : earlier ? weights() : others)
        EXPECT_EQ(read.read(name), value) << name << " after " << changes << " changes";
      if (ended) continue;
      EXPECT_FALSE(earlier);
      EXPECT_EQ(names_in(folder / "").size(), after == one_file ? 1u : 4u);
    }
  }
}

TEST(TensorFolder, KeepsFilesOfOthers) {
  TemporaryFolder folder;
  for (const char* name : {"config.json", "model-best.safetensors", "adapter_model.safetensors"})
    put_file(folder / name, "x");
  io::save_tensor_folder(folder / "", weights());
  EXPECT_EQ(names_in(folder / "").size(), 4u);
}

TEST(TensorFolder, FoldersThatAreNotWhole) {
  TemporaryFolder folder;
  EXPECT_CONTAINS(error_of([&] { io::open_tensor_folder(folder / ""); }),
                  "an empty or missing folder, expected model.safetensors or");
  put_file(folder / "tf_model.h5", "x");
  EXPECT_CONTAINS(error_of([&] { io::open_tensor_folder(folder / ""); }), "with tf_model.h5");
  EXPECT_CONTAINS(error_of([&] { io::open_tensor_folder(folder / "tf_model.h5"); }),
                  "a name that tells no weight format");
  EXPECT_CONTAINS(error_of([&] { io::open_tensor_folder(folder / "nowhere"); }), "NotFound");
  io::save_tensor_folder(folder / "", weights(), {.max_shard_size = 12});
  std::filesystem::remove(folder / "model-00002-of-00003.safetensors");
  EXPECT_CONTAINS(error_of([&] { io::open_tensor_folder(folder / ""); }),
                  "are not next to it: model-00002-of-00003.safetensors");
  io::write_safetensors(folder / "model-00002-of-00003.safetensors",
                        {{"other", Literal::scalar(1.0f)}});
  EXPECT_CONTAINS(error_of([&] { io::open_tensor_folder(folder / ""); }),
                  "tensors that '" + folder / "model.safetensors.index.json" +
                      "' names are not in their files: 'dense.bias' (model-00002-of-00003");
  io::write_safetensors(folder / "model-00002-of-00003.safetensors",
                        {{"dense.bias", weights()["dense.bias"]},
                         {"mask", weights()["mask"]},
                         {"scale", Literal::scalar(9.0f)}});
  EXPECT_EQ(io::open_tensor_folder(folder / "").read("scale"), weights()["scale"]);
}

TEST(TensorFolder, NamesInErrorsAreCut) {
  const std::string name(100'000, 'x'), index = R"({"weight_map": {"a": "1.safetensors", "b": )",
                                        cut = std::string(100, 'x') + "...";
  TemporaryFolder folder;
  const auto message = [&](const std::string& rest) {
    put_file(folder / "model.safetensors.index.json", index + rest);
    const std::string text = error_of([&] { io::open_tensor_folder(folder / ""); });
    EXPECT_LT(text.size(), 1000u);
    return text;
  };
  for (const char* file : {"1.safetensors", "2.safetensors"})
    io::write_safetensors(folder / file, {{name, Literal::scalar(1.0f)}});
  EXPECT_CONTAINS(message(R"("2.safetensors"}})"), "tensor '" + cut + "' lies in two files");
  EXPECT_CONTAINS(message("\"1.safetensors\", \"y" + name + "\": \"1.safetensors\"}}"), "'yxxx");
}

TEST(TensorFolder, IndexesThatAreForged) {
  TemporaryFolder folder;
  struct Case {
    const char* text;
    const char* wanted;
  };
  const Case table[] = {
      {"", "no JSON"},
      {"[]", "no object 'weight_map'"},
      {"{\"weight_map\": []}", "no object 'weight_map'"},
      {"{\"weight_map\": {\"a\": 1}}", "weight 'a' lies in no file next to the index"},
      {"{\"weight_map\": {\"a\": \"\"}}", "weight 'a' lies in no file"},
      {"{\"weight_map\": {\"a\": \"..\"}}", "weight 'a' lies in no file"},
      {"{\"weight_map\": {\"a\": \"../x.safetensors\"}}", "weight 'a' lies in no file"},
      {"{\"weight_map\": {\"a\": \"/etc/x.safetensors\"}}", "weight 'a' lies in no file"},
      {"{\"weight_map\": {\"a\": \"a\\u0000.safetensors\"}}", "weight 'a' lies in no file"},
      {"{\"weight_map\": {\"a\": \"passwd\"}}", "are not next to it: passwd"},
      {"{\"weight_map\": {\"\xff\": \"x\"}}", "no JSON"},
      {"{\"a\": [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}", "more than 16 levels deep"},
  };
  for (const Case& row : table) {
    put_file(folder / "model.safetensors.index.json", row.text);
    EXPECT_CONTAINS(error_of([&] { io::open_tensor_folder(folder / ""); }), row.wanted);
  }
  const std::string deep(1'000'000, '['), name(1'000'000, 'n');
  for (const std::string& text : {deep, "{\"" + name, "{\"weight_map\": {\"" + name + "\": 1}}"}) {
    put_file(folder / "model.safetensors.index.json", text);
    const std::string error = error_of([&] { io::open_tensor_folder(folder / ""); });
    EXPECT_CONTAINS(error, "DataLoss");
    EXPECT_LT(error.size(), 1000u);
  }
}

}  // namespace
}  // namespace systolic
