// PyTorch's files that are damaged or forged. tensor_folder_golden_test.cc reads good ones.
#include "systolic/io/tensors/torch/torch_file.h"

#include "systolic/base/process/process.h"
#include "systolic/base/sanitized.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/archive/test_gzip_bomb.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/torch/test_pickles.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using pickles::dictionary;
using pickles::storage;
using pickles::tensor;
using pickles::whole;

const float numbers[] = {0, 1, 2, 3, 4, 5};
std::string_view six_floats() { return {reinterpret_cast<const char*>(numbers), sizeof(numbers)}; }

// A file with the storage "0" of six floats.
void write_torch(const std::string& path, const std::string& pickle,
                 std::string_view byteorder = "little") {
  io::ZipWriter zip(path);
  zip.add("model/data.pkl", pickle);
  zip.add("model/byteorder", byteorder);
  zip.add("model/data/0", six_floats());
  zip.close();
}

std::string error_in(const TemporaryFolder& folder, const std::string& pickle) {
  write_torch(folder / "x.bin", pickle);
  return error_of([&] { io::open_torch_file(folder / "x.bin"); });
}

TEST(TorchFile, ReadsTensors) {
  TemporaryFolder folder;
  const std::string six = storage("FloatStorage", "0", 6);
  write_torch(folder / "x.bin", whole(dictionary({{"a", tensor(six, 0, {2, 3}, {3, 1})},
                                                  {"b", tensor(six, 1, {2, 2}, {1, 3})},
                                                  {"a", tensor(six, 4, {2}, {1})},
                                                  {"note", pickles::text("x")}})));
  const auto file = io::open_torch_file(folder / "x.bin");
  ASSERT_EQ(file->tensors().size(), 2u);  // of "a" the last counts, as in Python
  EXPECT_EQ(file->read(0), Literal::of<float>({4, 5}));
  EXPECT_EQ(file->read(1), Literal::of<float>({{1, 4}, {2, 5}}));
}

TEST(TorchFile, RefusesForgedTensors) {
  TemporaryFolder folder;
  const std::string six = storage("FloatStorage", "0", 6);
  constexpr int64_t huge = INT64_MAX;
  struct Case {
    std::string value;
    const char* wanted;
  };
  const Case table[] = {
      {tensor(six, 0, {7}, {1}), "reaches to byte 28 of a storage of 24"},
      {tensor(six, 1, {2, 3}, {3, 1}), "reaches to byte 28"},
      {tensor(six, 6, {}, {}), "reaches to byte 28"},
      {tensor(six, -1, {2}, {1}), "a size or stride that is no count"},
      {tensor(six, 0, {-2}, {1}), "no count"},
      {tensor(six, 5, {2}, {-1}), "no count"},
      {tensor(six, huge, {1}, {1}), "overflows"},
      {tensor(six, 0, {huge, huge}, {0, 0}), "overflows"},
      {tensor(six, 0, {huge, huge, 0}, {0, 0, 0}), "overflows"},
      {tensor(six, 0, {huge}, {huge}), "overflows"},
      {tensor(six, 0, {2}, {huge}), "overflows"},
      {tensor(six, 0, {1'000'000, 1'000'000}, {0, 0}), "ResourceExhausted: PyTorch file"},
      {tensor(six, 0, {2, 3}, {1}), "has 2 axes and 1 strides"},
      {tensor(six, 0, std::vector<int64_t>(65, 1), std::vector<int64_t>(65, 1)),
       "no shape of at most 64 axes"},
      {tensor(six, 0, {2}, {1}, dictionary({{"conj", "\x88"}})), "is conjugated or negated"},
      {tensor(storage("FloatStorage", "0", 7), 0, {2}, {1}), "has 24 bytes instead of 28"},
      {tensor(storage("FloatStorage", "1", 6), 0, {2}, {1}), "has 0 bytes instead of 24"},
      {tensor(storage("FloatStorage", "../byteorder", 1), 0, {1}, {1}), "has 0 bytes instead of 4"},
      {tensor(storage("DoubleStorage", "0", 6), 0, {2}, {1}), "has 24 bytes instead of 48"},
      {tensor(storage("FloatStorage", "0", huge), 0, {2}, {1}), "more than 2^64 bytes"},
      {tensor(storage("FloatStorage", "0", -6), 0, {2}, {1}), "no count"},
      {tensor(pickles::integer(1), 0, {2}, {1}), "has no storage"},
      {tensor("NQ", 0, {2}, {1}), "has no storage"},
      {tensor("}Q", 0, {2}, {1}), "has no storage"},
      {pickles::global("torch._utils", "_rebuild_tensor_v2") + ")R",
       "is not a tensor but a call of"},
      {pickles::global("torch._utils", "_rebuild_parameter") + ")R",
       "is not a tensor but a call of"},
      {pickles::global("torch", "float32") + ")R", "is not a tensor but a call of torch.float32"},
      {pickles::global("torch", "FloatStorage") + ")R", "is not a tensor but a call of"},
      {pickles::global("torch._utils", "_rebuild_sparse_tensor") + ")R",
       "asks for torch._utils._rebuild_sparse_tensor, which is not run"},
      {pickles::global("os", "system") + "(" + pickles::text("true") + "tR",
       "asks for os.system, which is not run"},
  };
  for (const Case& row : table)
    EXPECT_CONTAINS(error_in(folder, whole(dictionary({{"a", row.value}}))), row.wanted);
}

TEST(TorchFile, RefusesForgedDictionaries) {
  TemporaryFolder folder;
  EXPECT_CONTAINS(error_in(folder, whole("]")), "it holds a list instead of a dictionary");
  EXPECT_CONTAINS(error_in(folder, whole(tensor(storage("FloatStorage", "0", 6), 0, {6}, {1}))),
                  "it holds a call instead of a dictionary");
  EXPECT_CONTAINS(error_in(folder, whole("}(]}u")), "a key that is a list");
  EXPECT_CONTAINS(error_in(folder, whole("}q" + std::string(1, '\0') + pickles::text("a") + "h" +
                                         std::string(1, '\0') + "s")),
                  "dictionaries nest deeper than 16");
  EXPECT_CONTAINS(error_in(folder, whole(dictionary({{std::string(1000, 'n'), "}"}}))),
                  "a name of more than");
  // Each dictionary holds the one before ten times: 10^15 entries from 300 bytes.
  std::string laughs = "}";
  for (int level = 0; level < 15; ++level) {
    laughs += "q" + std::string(1, static_cast<char>(level)) + "0}(";
    for (char key = '0'; key <= '9'; ++key)
      laughs += pickles::text(std::string(1, key)) + "h" + std::string(1, static_cast<char>(level));
    laughs += "u";
  }
  EXPECT_CONTAINS(error_in(folder, whole(laughs)), "more than 200000 entries");
}

TEST(TorchFile, RefusesOtherFiles) {
  TemporaryFolder folder;
  const auto error = [&](std::string_view bytes) {
    put_file(folder / "y.bin", bytes);
    return error_of([&] { io::open_torch_file(folder / "y.bin"); });
  };
  EXPECT_CONTAINS(error(""), "it starts neither as");
  EXPECT_CONTAINS(error("\x80\x02}."), "it starts neither as");
  EXPECT_CONTAINS(error("PK\x03\x04"), "has no directory");
  io::ZipWriter zip(folder / "z.bin");
  zip.add("model/other.pkl", "N.");
  zip.close();
  EXPECT_CONTAINS(error_of([&] { io::open_torch_file(folder / "z.bin"); }), "without data.pkl");
  write_torch(folder / "big.bin", whole("}"), "big");
  EXPECT_CONTAINS(error_of([&] { io::open_torch_file(folder / "big.bin"); }), "big-endian");
}

// A member that deflates to a thousandth: refused before memory is taken for it.
TEST(TorchFile, AZipBombEndsBeforeItFillsTheMemory) {
  TemporaryFolder folder;
  const std::string gzip = gzip_bomb("", size_t{300} << 20);
  const std::string packed = gzip.substr(10, gzip.size() - 18);  // without GZIP's head and tail
  const std::string name = "model/data.pkl";
  constexpr int64_t with_shadow = is_sanitized ? 1 + 4 : 1;  // ThreadSanitizer: 4 bytes a byte
  for (const auto& [claimed, wanted] : {std::pair(uint64_t{300} << 20, "claims 314572800 bytes"),
                                        std::pair(uint64_t{250} << 20, "not of the stated size")}) {
    const std::string sizes = pickles::number(packed.size(), 4) + pickles::number(claimed, 4) +
                              pickles::number(name.size(), 2) + pickles::number(0, 2);
    const std::string common = pickles::number(20, 2) + pickles::number(0, 2) +
                               pickles::number(8, 2) + pickles::number(0, 8) + sizes;
    const std::string member = "PK\x03\x04" + common + name + packed;
    const std::string directory =
        "PK\x01\x02" + pickles::number(20, 2) + common + pickles::number(0, 14) + name;
    put_file(folder / "x.bin", member + directory + "PK\x05\x06" + pickles::number(0, 4) +
                                   pickles::number(1, 2) + pickles::number(1, 2) +
                                   pickles::number(0, 4) + pickles::number(member.size(), 4) +
                                   pickles::number(0, 2));
    const int64_t before = peak_memory_bytes();
    EXPECT_CONTAINS(error_of([&] { io::open_torch_file(folder / "x.bin"); }), wanted);
    const int64_t most = claimed > size_t{256} << 20 ? 20 << 20 : 600 << 20;
    EXPECT_LT(peak_memory_bytes() - before, most * with_shadow);
  }
}

// Every cut and every changed byte: an error, or a file that reads to its end.
TEST(TorchFile, DamageAtEveryByteEndsWell) {
  TemporaryFolder folder;
  write_torch(
      folder / "x.bin",
      whole(dictionary({{"a", tensor(storage("FloatStorage", "0", 6), 0, {3, 2}, {1, 3})}})));
  const auto read = [&](const std::string& damaged) {
    put_file(folder / "y.bin", damaged);
    return error_of([&] {
      const auto file = io::open_torch_file(folder / "y.bin");
      for (size_t i = 0; i < file->tensors().size(); ++i) file->read(i);
    });
  };
  const std::string older = test::source_path("systolic/io/golden/views_before_1.6.bin");
  for (const std::string& path : {folder / "x.bin", older}) {
    const std::string bytes = io::read_file(path);
    const size_t step = path == older ? 5 : 1;
    for (size_t i = 0; i < bytes.size(); i += step) {
      EXPECT_CONTAINS(read(bytes.substr(0, i)), "DataLoss") << i;
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
      read(flipped);
    }
  }
}

}  // namespace
}  // namespace systolic
