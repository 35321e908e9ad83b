// Whatever bit of a checked file changes, it is found.
#include "systolic/io/tensors/tensor_checksums.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

const Example& arrays_of_a_run() {
  static const Example arrays{{"dense/kernel", std::vector<float>{1, 2, 3, 4, 5, 6}},
                              {"dense/bias", std::vector<float>{0.5f}},
                              {"/training/iterations", int32_t{7}},
                              {"/training/input", std::vector<uint8_t>{1, 2, 3}},
                              {"nothing", std::vector<float>{}}};
  return arrays;
}

void write_run(const std::string& path) {
  io::write_safetensors(path, arrays_of_a_run(),
                        io::with_checksums(arrays_of_a_run(), {{"epoch", "3"}}));
}

bool check_file(const std::string& path) {
  return io::check_checksums(path, io::read_safetensors(path));
}

// The same for arrays that are read one at a time.
void check_one_at_a_time(const std::string& path) {
  const auto file = io::open_safetensors(path);
  const io::TensorChecksums checksums(*file);
  for (size_t i = 0; i < file->tensors().size(); ++i) checksums.check(i, file->read(i));
}

// The same without holding them.
void check_in_pieces(const std::string& path) {
  const auto file = io::open_safetensors(path);
  const io::TensorChecksums checksums(*file);
  for (size_t i = 0; i < file->tensors().size(); ++i) checksums.check(i, *file);
}

TEST(TensorChecksums, EveryBitThatChangesIsADataLoss) {
  const TemporaryFolder folder;
  const std::string path = folder / "state.safetensors";
  write_run(path);
  EXPECT_TRUE(check_file(path));
  check_one_at_a_time(path);
  check_in_pieces(path);
  const std::string whole = io::read_file(path);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const size_t bit : {at % 8, (at / 8 + 5) % 8}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      put_file(path, damaged);
      EXPECT_THROW(check_file(path), DataLoss) << at << ", bit " << bit;
      EXPECT_THROW(check_one_at_a_time(path), DataLoss) << at << ", bit " << bit;
      EXPECT_THROW(check_in_pieces(path), DataLoss) << at << ", bit " << bit;
    }
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    put_file(path, whole.substr(0, size));
    EXPECT_THROW(check_file(path), DataLoss) << size;
    EXPECT_THROW(check_one_at_a_time(path), DataLoss) << size;
    EXPECT_THROW(check_in_pieces(path), DataLoss) << size;
  }
}

TEST(TensorChecksums, OfAnArrayOfManyPiecesIsThatOfTheWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "large.safetensors";
  std::vector<float> numbers(300'001);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const Example arrays{{"large", numbers}};
  io::write_safetensors(path, arrays, io::with_checksums(arrays, {}));
  check_in_pieces(path);
  std::string bytes = io::read_file(path);
  bytes[bytes.size() - 5] ^= 1;
  put_file(path, bytes);
  EXPECT_THROW(check_in_pieces(path), DataLoss);
}

TEST(TensorChecksums, TheArrayIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder / "state.safetensors";
  io::Safetensors file{arrays_of_a_run(), io::with_checksums(arrays_of_a_run(), {})};
  file.tensors.set("dense/bias", Literal::of<float>({0.25f}));
  expect_parts(message_of<DataLoss>([&] { io::check_checksums(path, file); }),
               {path + "' is damaged: dense/bias", "got other checksums"});
}

// RFC 3720's value for 32 bytes of zeros, and how it stands in a file.
TEST(TensorChecksums, TheChecksumIsCrc32c) {
  const Example zeros{{"zeros", std::vector<uint8_t>(32, 0)}};
  const std::string text = io::with_checksums(zeros, {}).at("crc32c");
  EXPECT_EQ(text.size(), 17u);
  EXPECT_EQ(text.substr(8), " 8a9136aa");
}

TEST(TensorChecksums, FilesWithoutAreLeftAlone) {
  EXPECT_FALSE(io::check_checksums("x", {arrays_of_a_run(), {}}));
  EXPECT_FALSE(io::check_checksums("x", {arrays_of_a_run(), {{"format", "pt"}}}));
}

}  // namespace
}  // namespace systolic
