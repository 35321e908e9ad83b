// Files that another program cuts or rewrites while their arrays are read: DataLoss, and what was
// read before stays as it was. What is mapped would end the process.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "systolic/base/test_errors.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/torch/torch_file.h"
#include "systolic/io/tensors/torch/torch_file_write.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using OpenFile = std::function<std::shared_ptr<const io::TensorFile>(const std::string& path)>;

Literal counted(float first) {
  constexpr int64_t count = 1 << 19;  // 2 MB: far from what the file's head says
  Literal array(DType::f32, Shape{count});
  float* to = array.mutable_data<float>().data();
  for (int64_t i = 0; i < count; ++i) to[i] = first + static_cast<float>(i);
  return array;
}

std::string told_of_cut(const OpenFile& open, const std::string& path, bool rewritten) {
  const auto file = open(path);
  const Literal first = file->read(0, {});
  const Literal copy = first.convert(DType::f64);
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size / 2);
  if (rewritten) std::filesystem::resize_file(path, size);  // zeros where the rest was
  const std::string told = error_of([&] { file->read(file->tensors().size() - 1, {}); });
  EXPECT_EQ(first.convert(DType::f64), copy);
  return told;
}

TEST(CutFiles, AreDataLoss) {
  const TemporaryFolder folder;
  const Literal a = counted(1), b = counted(2);
  const struct {
    const char* name;
    std::function<void(const std::string&)> write;
    OpenFile open;
    bool has_checksums;
  } cases[] = {
      {"a.npz",
       [&](const auto& path) {
         io::write_npz(path, {{"a", a}, {"b", b}});
       },
       [](const auto& path) { return io::open_npz(path); }, true},
      {"a.pt",
       [&](const auto& path) {
         io::write_torch_file(path, {{"a", a}, {"b", b}});
       },
       [](const auto& path) { return io::open_torch_file(path, {}); }, true},
      {"a.safetensors",
       [&](const auto& path) {
         io::write_safetensors(path, {{"a", a}, {"b", b}});
       },
       [](const auto& path) { return io::open_safetensors(path); }, false},
  };
  for (const auto& one : cases) {
    for (const bool rewritten : {false, true}) {
      if (rewritten && !one.has_checksums) continue;
      const std::string path = folder / one.name;
      one.write(path);
      EXPECT_CONTAINS(told_of_cut(one.open, path, rewritten), "DataLoss: ");
    }
  }
}

TEST(CutFiles, FilesOfOldPyTorchAreDataLoss) {
  const TemporaryFolder folder;
  const std::string path = folder / "old.bin";
  std::filesystem::copy_file(test::source_path("systolic/io/golden/views_before_1.6.bin"), path);
  const auto file = io::open_torch_file(path, {});
  for (size_t i = 0; i < file->tensors().size(); ++i) EXPECT_NO_THROW(file->read(i, {}));
  std::filesystem::resize_file(path, 16);
  for (size_t i = 0; i < file->tensors().size(); ++i) {
    if (file->tensors()[i].byte_size() == 0) continue;
    EXPECT_CONTAINS(error_of([&] { file->read(i, {}); }), "it was cut while it was read");
  }
}

TEST(CutFiles, ArchivesAreDataLoss) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.zip";
  {
    io::ZipWriter archive(path);
    archive.add("first", std::string(100, 'a'));
    archive.add("second", std::string(3 << 20, 'b'));
    archive.add("large", std::string(9 << 20, 'c'));
    archive.close();
  }
  const io::ZipReader archive(std::make_shared<const io::FileBytes>(path), path);
  for (const auto& member : archive.members()) EXPECT_NO_THROW(archive.check(member));
  EXPECT_EQ(archive.read(archive.members()[1], 7, 3).bytes, "bbb");
  const io::ZipReader::Content first = archive.extract(archive.members()[0]);
  std::filesystem::resize_file(path, 1 << 20);
  for (const size_t i : {1, 2}) {
    const auto& member = archive.members()[i];
    EXPECT_CONTAINS(error_of([&] { archive.check(member); }), "it was cut while it was read");
    EXPECT_CONTAINS(error_of([&] { archive.extract(member); }), "it was cut while it was read");
    EXPECT_CONTAINS(error_of([&] { archive.read(member, (2 << 20), 7); }),
                    "it was cut while it was read");
  }
  EXPECT_EQ(first.bytes, std::string(100, 'a'));
}

}  // namespace
}  // namespace systolic
