// Checkpoints of a place that is not the local disk: what is asked of it.
#include <memory>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/files/test_memory_files.h"
#include "systolic/io/tensors/folder/tensor_folder.h"
#include "systolic/io/tensors/safetensors.h"

namespace systolic {
namespace {

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
