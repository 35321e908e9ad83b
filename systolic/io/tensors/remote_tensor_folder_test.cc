// Checkpoints of a place that is not the local disk: what is asked of it.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/tensor_folder.h"

namespace systolic {
namespace {

// Files in memory, which counts the bytes that are read and may lie about sizes.
class MemoryFiles : public io::FileSystem {
 public:
  std::map<std::string, std::string> files;
  uint64_t bytes_read = 0;
  uint64_t claimed_more = 0;  // bytes than there are
  bool says_size = true;

  std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation) override {
    return std::make_unique<Open>(*this, path, files.at(path));
  }
  std::unique_ptr<io::WritableFile> create(const std::string& path, SourceLocation) override {
    return std::make_unique<Written>(*this, path);
  }
  std::optional<io::FileStatus> status(const std::string& path, SourceLocation) override {
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return io::FileStatus{.bytes = file->second.size()};
  }
  std::vector<std::string> glob(const std::string&, SourceLocation) override { return {}; }
  std::vector<std::string> list(const std::string& folder, size_t, SourceLocation) override {
    std::vector<std::string> names;
    for (const auto& [path, bytes] : files) {
      if (path.starts_with(folder + "/")) names.push_back(path.substr(folder.size() + 1));
    }
    return names;
  }
  void remove(const std::string& path, SourceLocation) override { files.erase(path); }
  void rename(const std::string&, const std::string&, SourceLocation) override {}

 private:
  class Open : public io::ReadableFile {
   public:
    Open(MemoryFiles& all, std::string path, std::string bytes)
        : all_(all), path_(std::move(path)), bytes_(std::move(bytes)) {}
    const std::string& path() const override { return path_; }
    std::optional<uint64_t> size() const override {
      if (!all_.says_size) return std::nullopt;
      return bytes_.size() + all_.claimed_more;
    }
    size_t read(void* buffer, size_t size) override {
      const size_t count = read_at(at_, buffer, size);
      at_ += count;
      return count;
    }
    size_t read_at(uint64_t offset, void* buffer, size_t size) override {
      const size_t begin = std::min<size_t>(offset, bytes_.size());
      const size_t count = std::min(size, bytes_.size() - begin);
      std::memcpy(buffer, bytes_.data() + begin, count);
      all_.bytes_read += count;
      return count;
    }

   private:
    MemoryFiles& all_;
    std::string path_, bytes_;
    uint64_t at_ = 0;
  };
  class Written : public io::WritableFile {
   public:
    Written(MemoryFiles& all, std::string path) : all_(all), path_(std::move(path)) {}
    const std::string& path() const override { return path_; }
    void write(const void* data, size_t size) override {
      bytes_.append(static_cast<const char*>(data), size);
    }
    void commit() override { all_.files[path_] = bytes_; }

   private:
    MemoryFiles& all_;
    std::string path_, bytes_;
  };
};

class RemoteCheckpoint : public testing::Test {
 protected:
  RemoteCheckpoint() { io::register_file_system("memory", files_); }
  std::shared_ptr<MemoryFiles> files_ = std::make_shared<MemoryFiles>();
  Example weights_{{"small", Literal::of<float>({1, 2})},
                   {"large", Literal::zeros(DType::f32, {100'000})},
                   {"mask", Literal::of<bool>({true, false})}};
};

TEST_F(RemoteCheckpoint, ReadsOnlyWhatIsAskedFor) {
  io::save_tensor_folder("memory://bucket/model", weights_);
  const io::TensorFolder read = io::open_tensor_folder("memory://bucket/model");
  EXPECT_LT(files_->bytes_read, 1000u);
  EXPECT_EQ(read.read("small"), weights_["small"]);
  EXPECT_EQ(read.read("mask"), weights_["mask"]);
  EXPECT_LT(files_->bytes_read, 1000u);
  EXPECT_EQ(read.read("large"), weights_["large"]);
  EXPECT_LT(files_->bytes_read, 401'000u);
}

TEST_F(RemoteCheckpoint, WritesShardsInThePlaceOfOne) {
  io::save_tensor_folder("memory://bucket/model", weights_);
  io::save_tensor_folder("memory://bucket/model", weights_, {.max_shard_size = 1000});
  EXPECT_FALSE(files_->files.contains("memory://bucket/model/model.safetensors"));
  const io::TensorFolder read = io::open_tensor_folder("memory://bucket/model");
  for (const auto& [name, value] : weights_) EXPECT_EQ(read.read(name), value);
}

TEST_F(RemoteCheckpoint, ReadsAFileWhoseSizeNobodySays) {
  io::save_tensor_folder("memory://bucket/model", weights_);
  files_->says_size = false;
  EXPECT_EQ(io::open_tensor_folder("memory://bucket/model").read("large"), weights_["large"]);
}

// A server that claims a terabyte, and a header that believes it, take no memory.
TEST_F(RemoteCheckpoint, MemoryGrowsWithWhatComes) {
  const std::string header = R"({"a":{"dtype":"U8","shape":[1099511627776],)"
                             R"("data_offsets":[0,1099511627776]}})";
  const uint64_t size = header.size();
  files_->files["memory://x.safetensors"] =
      std::string(reinterpret_cast<const char*>(&size), 8) + header + "123";
  files_->claimed_more = (uint64_t{1} << 40) - 3;
  const auto file = io::open_safetensors("memory://x.safetensors");
  EXPECT_CONTAINS(error_of([&] { file->read(0); }), "DataLoss: safetensors file 'memory://x");
}

}  // namespace
}  // namespace systolic
