// IDX, NumPy and safetensors files: round trips, known bytes, and damage at every byte.
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "systolic/base/sanitized.h"
#include "systolic/base/test_errors.h"
#include "systolic/io/archive/test_gzip_bomb.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/idx.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/io/tensors/safetensors.h"

namespace systolic {
namespace {

std::vector<Literal> samples() {
  std::vector<Literal> result;
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (byte_width(dtype) == 0 || dtype == DType::i4 || dtype == DType::u4) continue;
    result.push_back(Literal::of<float>({{1, 0, 3}, {-4, 5.5f, 6}}).convert(dtype));
  }
  result.push_back(Literal::scalar(2.5f));
  result.push_back(Literal::zeros(DType::f32, {0, 3}));
  return result;
}

TEST(Idx, ReadsTheBytesOfTheFormat) {
  TemporaryFolder folder;
  put_file(folder / "x", std::string("\0\0\x0b\2\0\0\0\1\0\0\0\2\1\2\xff\xfe", 16));
  EXPECT_EQ(io::read_idx(folder / "x"), Literal::of<int16_t>({{258, -2}}));
  for (const Literal& array : samples()) {
    if (error_of([&] { io::write_idx(folder / "y", array); }) == "no error") {
      EXPECT_EQ(io::read_idx(folder / "y"), array);
    }
  }
  EXPECT_CONTAINS(
      error_of([&] { io::write_idx(folder / "y", Literal::scalar(1.0).convert(DType::bf16)); }),
      "bf16");
}

TEST(Idx, AGzipBombEndsBeforeItFillsTheMemory) {
  TemporaryFolder folder;
  // u8(2^31 - 1,), as the header says.
  put_file(folder / "x",
           gzip_bomb(std::string("\0\0\x08\1\x7f\xff\xff\xff", 8), size_t{300} << 20));
  const std::string error = error_of([&] { io::read_idx(folder / "x"); });
  EXPECT_CONTAINS(error, "ResourceExhausted");
  EXPECT_CONTAINS(error, "made to fill the memory");
}

TEST(Idx, DamageIsNamed) {
  TemporaryFolder folder;
  io::write_idx(folder / "x", Literal::of<uint8_t>({{1, 2}, {3, 4}}));
  const std::string bytes = io::read_file(folder / "x");
  for (size_t size = 0; size < bytes.size(); ++size) {
    put_file(folder / "cut", bytes.substr(0, size));
    EXPECT_CONTAINS(error_of([&] { io::read_idx(folder / "cut"); }), "DataLoss: IDX file '");
  }
  put_file(folder / "huge",
           std::string("\0\0\x0e\4\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
                       20));
  EXPECT_CONTAINS(error_of([&] { io::read_idx(folder / "huge"); }), "but 0 bytes follow");
}

Example read_one_at_a_time(const std::string& path) {
  const auto file = io::open_npz(path);
  Example arrays;
  for (size_t i = 0; i < file->tensors().size(); ++i) {
    const io::TensorInfo& info = file->tensors()[i];
    const Literal array = file->read(i);
    EXPECT_EQ(info.dtype, array.dtype());
    if (info.dtype != DType::string) {
      EXPECT_EQ(info.shape, array.shape());
    }
    arrays.set(info.name, array);
  }
  return arrays;
}

TEST(Npy, ReadsBackWhatItWrote) {
  TemporaryFolder folder;
  Example all;
  for (const Literal& array : samples()) {
    if (error_of([&] { io::write_npy(folder / "x.npy", array); }) != "no error") continue;
    EXPECT_EQ(io::read_npy(folder / "x.npy"), array);
    all.set(to_string(array.dtype()), array);
  }
  EXPECT_GE(all.size(), 14u);
  io::write_npz(folder / "x.npz", all);
  EXPECT_EQ(io::read_npz(folder / "x.npz"), all);
  EXPECT_EQ(read_one_at_a_time(folder / "x.npz"), all);
}

std::string npy(const std::string& dict, const std::string& data) {
  return std::string("\x93NUMPY\1\0", 8) + char(dict.size()) + '\0' + dict + data;
}

TEST(Npy, UnderstandsOrdersAndStrings) {
  const std::string fortran = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
  EXPECT_EQ(io::parse_npy(npy(fortran, "\1\2\3\4\5\6"), "x"),
            Literal::of<uint8_t>({{1, 3, 5}, {2, 4, 6}}));
  const std::string big = "{'descr': '>i2', 'fortran_order': False, 'shape': (1,)}\n";
  EXPECT_EQ(io::parse_npy(npy(big, "\1\2"), "x"), Literal::of<int16_t>({258}));
  const std::string text = "{'shape': (2,), 'fortran_order': False, 'descr': '|S3'}";
  EXPECT_EQ(io::parse_npy(npy(text, std::string("abcx\0\0", 6)), "x"),
            Literal::strings({"abc", "x"}));
}

TEST(Npy, RefusesObjectsAndDamage) {
  struct Case {
    const char* dict;
    const char* wanted;
  };
  const Case table[] = {
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
       "Python objects are stored as programs"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
       "but 4 bytes follow, expected 8 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
       "but 4 bytes follow"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
       "a size that is no number"},
      {"{'descr': '<f4', 'fortran_order': False}", "2 keys"},
      {"{'descr': '<f4', 'x': False, 'shape': (1,)}", "unknown key 'x'"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "where a text belongs"},
      {"{'descr': '<f4", "a text without end"},
  };
  for (const Case& row : table) {
    EXPECT_CONTAINS(error_of([&] { io::parse_npy(npy(row.dict, "1234"), "x.npy"); }), row.wanted);
  }
  const std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234");
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_CONTAINS(error_of([&] { io::parse_npy(good.substr(0, size), "x.npy"); }),
                    "DataLoss: 'x.npy'");
  }
}

TEST(Npz, DamageAtEveryByteEndsWell) {
  TemporaryFolder folder;
  const Example arrays{{"a", Literal::of<int32_t>({1, 2, 3})}, {"b", Literal::scalar(1.0f)}};
  io::write_npz(folder / "x.npz", arrays);
  const std::string bytes = io::read_file(folder / "x.npz");
  for (size_t i = 0; i < bytes.size(); ++i) {
    put_file(folder / "cut.npz", bytes.substr(0, i));
    EXPECT_NE(error_of([&] { io::read_npz(folder / "cut.npz"); }), "no error") << i;
    EXPECT_NE(error_of([&] { read_one_at_a_time(folder / "cut.npz"); }), "no error") << i;
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    put_file(folder / "bad.npz", flipped);
    error_of(
        [&] { io::read_npz(folder / "bad.npz"); });  // an error, or a field that does not matter
    error_of([&] { read_one_at_a_time(folder / "bad.npz"); });
  }
}

TEST(Safetensors, ReadsBackWhatItWrote) {
  TemporaryFolder folder;
  Example all;
  for (const Literal& array : samples()) {
    if (array.dtype() == DType::c128) continue;
    all.set(to_string(array.dtype()), array);
  }
  all.set("odd", Literal::of<uint8_t>({1, 2, 3}));
  all.set("scalar", Literal::scalar(2.5f));
  io::write_safetensors(folder / "x", all, {{"format", "systolic"}});
  const io::Safetensors read = io::read_safetensors(folder / "x");
  EXPECT_EQ(read.metadata.at("format"), "systolic");
  EXPECT_EQ(read.tensors.size(), all.size());
  for (const auto& [name, value] : all) EXPECT_EQ(read.tensors[name], value) << name;
  EXPECT_CONTAINS(error_of([&] {
                    io::write_safetensors(folder / "y", {{"s", Literal::scalar("x")}});
                  }),
                  "tensor 's' of type string");
}

std::string safetensors(const std::string& header, const std::string& data) {
  uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + data;
}

TEST(Safetensors, RefusesWhatTheFormatForbids) {
  TemporaryFolder folder;
  const std::string f4 = R"({"dtype":"F32","shape":[1],"data_offsets":)";
  struct Case {
    std::string bytes;
    const char* wanted;
  };
  const Case table[] = {
      {"1234567", "HeaderTooSmall"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), "HeaderTooLarge"},
      {std::string("\x10\0\0\0\0\0\0\0{}", 10), "InvalidHeaderLength"},
      {safetensors("[]", ""), "InvalidHeaderStart"},
      {safetensors("{\"a\":\"\xff\"}", ""), "InvalidHeaderDeserialization"},
      {safetensors("{\"a\":", ""), "InvalidHeaderDeserialization"},
      {safetensors("{\"a\":{\"b\":[[[[1]]]]}}", ""), "and nothing else"},
      {safetensors("{\"a\":{\"shape\":[[1]]}}", ""), "a field of a wrong kind"},
      {safetensors("{\"a\":{\"shape\":{}}}", ""), "a field of a wrong kind"},
      {safetensors("{\"a\":[]}", ""), "needs dtype"},
      {safetensors("{\"__metadata__\":[]}", ""), "__metadata__ is not an object"},
      {safetensors("{\"__metadata__\":{\"a\":{}}}", ""), "__metadata__ 'a' is not text"},
      {safetensors("{\"__metadata__\":{\"a\":\"b\",\"a\":\"b\"}}", ""), "the name 'a' twice"},
      {safetensors("{} {}", ""), "InvalidHeaderDeserialization"},
      {safetensors("{\"a\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}}", "1"),
       "Unimplemented: safetensors tensor 'a' of type F4"},
      {safetensors("{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296,0],"
                   "\"data_offsets\":[0,0]}}",
                   ""),
       "ValidationOverflow"},
      {safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
                   "\"data_offsets\":[18446744073709551612,18446744073709551616]}}",
                   "1234"),
       "a field of a wrong kind"},
      {safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
                   "\"data_offsets\":[9223372036854775804,9223372036854775808]}}",
                   "1234"),
       "a field of a wrong kind"},
      {safetensors("{\"a\":" + f4 + "[0,4]},\"a\":" + f4 + "[0,4]}}", "1234"),
       "the name 'a' twice"},
      {safetensors(
           "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
           "1234"),
       "the name 'dtype' twice"},
      {safetensors("{\"a\":" + f4 + "[0,4]},\"b\":" + f4 + "[0,4]}}", "1234"), "inside another"},
      {safetensors("{\"a\":" + f4 + "[0,4]},\"b\":" + f4 + "[5,9]}}", "123456789"), "after a gap"},
      {safetensors("{\"a\":" + f4 + "[4,0]}}", "1234"), "InvalidOffset"},
      {safetensors("{\"a\":" + f4 + "[0,8]}}", "12345678"), "TensorInvalidInfo"},
      {safetensors("{\"a\":" + f4 + "[0,4]}}", "12345"), "MetadataIncompleteBuffer"},
      {safetensors("{\"a\":" + f4 + "[0,4]}}", "123"), "MetadataIncompleteBuffer"},
      {safetensors("{\"a\":" + f4 + "[-1,3]}}", "1234"), "a field of a wrong kind"},
      {safetensors("{\"a\":" + f4 + "[0.0,4.0]}}", "1234"), "a field of a wrong kind"},
      {safetensors("{\"a\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}", "1234"),
       "unknown type F33"},
      {safetensors(
           "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,4]}}",
           "1234"),
       "ValidationOverflow"},
      {safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "1234"),
       "needs dtype, shape and data_offsets"},
      {safetensors("{\"__metadata__\":{\"a\":1}}", ""), "__metadata__ 'a' is not text"},
      {safetensors("{\"a\":1}", ""), "needs dtype"},
  };
  for (const Case& row : table) {
    put_file(folder / "x", row.bytes);
    EXPECT_CONTAINS(error_of([&] { io::read_safetensors(folder / "x"); }), row.wanted);
  }
  put_file(folder / "x",
           safetensors("{\"b\":" + f4 + "[4,8]},\"a\":" + f4 + "[0,4]}}  ", "12345678"));
  EXPECT_EQ(io::read_safetensors(folder / "x").tensors.name(0), "a");
}

// A name as long as the file is not told whole.
// Another program's file: what was read stays, what is gone is an error, and nothing ends here.
TEST(Safetensors, AFileThatIsCutOrRewrittenWhileItIsOpenChangesNothingThatWasRead) {
  TemporaryFolder folder;
  const std::string path = folder / "x";
  std::vector<float> values(1 << 16, 1.5f);
  io::write_safetensors(
      path, {{"a", Literal::from(values, {1 << 16})}, {"b", Literal::from(values, {1 << 16})}});
  const auto file = io::open_safetensors(path);
  const Literal first = file->read(0);
  const io::Safetensors all = io::read_safetensors(path);
  {
    std::fstream rewritten(path, std::ios::in | std::ios::out | std::ios::binary);
    rewritten.seekp(4096);
    rewritten << std::string(1 << 12, '\xff');
  }
  ASSERT_EQ(::truncate(path.c_str(), 8192), 0);
  for (const Literal& array : {first, all.tensors["a"], all.tensors["b"]}) {
    for (const float value : {array.data<float>()[900], array.data<float>()[(1 << 16) - 1]})
      EXPECT_EQ(value, 1.5f);
  }
  EXPECT_CONTAINS(error_of([&] { file->read(1); }), "DataLoss: ");
  EXPECT_CONTAINS(error_of([&] { file->read(1); }),
                  "the file was cut at or before byte 262288 of 524432");
}

TEST(Safetensors, MessagesAreShort) {
  TemporaryFolder folder;
  const std::string name(1'000'000, 'n');
  const std::string fields = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  for (const std::string& header :
       {"{\"" + name + "\":1}", "{\"" + name + "\":" + fields + ",\"" + name + "\":" + fields + "}",
        "{\"a\":{\"dtype\":\"" + name + "\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\"__metadata__\":{\"" + name + "\":1}}", "{\"" + name}) {
    put_file(folder / "x", safetensors(header, "1234"));
    const std::string error = error_of([&] { io::read_safetensors(folder / "x"); });
    EXPECT_CONTAINS(error, "DataLoss");
    EXPECT_LT(error.size(), 1000u);
  }
}

// Names are not compared each with each: a file of 100 MB may have a million.
TEST(Safetensors, ReadsManyTensors) {
  TemporaryFolder folder;
  constexpr int many = is_sanitized ? 20'000 : 200'000;
  std::string header = "{";
  for (int i = 0; i < many; ++i) {
    header += str(i == 0 ? "" : ",", "\"", i,
                  "\":{\"dtype\":\"I8\",\"shape\":[0],\"data_offsets\":[0,0]}");
  }
  put_file(folder / "x", safetensors(header + "}", ""));
  EXPECT_EQ(io::read_safetensors(folder / "x").tensors.size(), static_cast<size_t>(many));
}

TEST(Safetensors, DamageAtEveryByteEndsWell) {
  TemporaryFolder folder;
  io::write_safetensors(folder / "x",
                        {{"a", Literal::of<float>({1, 2})}, {"b", Literal::of<int8_t>({3})}});
  const std::string bytes = io::read_file(folder / "x");
  for (size_t i = 0; i < bytes.size(); ++i) {
    put_file(folder / "cut", bytes.substr(0, i));
    EXPECT_CONTAINS(error_of([&] { io::read_safetensors(folder / "cut"); }), "DataLoss");
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    put_file(folder / "bad", flipped);
    error_of([&] { io::read_safetensors(folder / "bad"); });
  }
}

}  // namespace
}  // namespace systolic
