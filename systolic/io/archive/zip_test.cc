// ZIP archives beyond what our writer writes: forged ones, and those of more than 4 GiB.
#include "systolic/io/archive/zip.h"

#include <zlib.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/byte_source.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

std::string number(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

constexpr uint32_t crc_of_abc = 0x352441c2;

struct Entry {
  std::string name = "m";
  uint64_t offset = 0, size = 3;
  uint16_t flags = 0, method = 0;
  std::string extra = "";
};

std::string local(const std::string& name) {
  return "PK\x03\x04" + number(20, 2) + number(0, 8) + number(crc_of_abc, 4) + number(3, 4) +
         number(3, 4) + number(name.size(), 2) + number(0, 2) + name + "abc";
}
std::string in_directory(const Entry& entry) {
  return "PK\x01\x02" + number(20, 2) + number(20, 2) + number(entry.flags, 2) +
         number(entry.method, 2) + number(0, 4) + number(crc_of_abc, 4) + number(entry.size, 4) +
         number(entry.size, 4) + number(entry.name.size(), 2) + number(entry.extra.size(), 2) +
         number(0, 2) + number(0, 8) + number(entry.offset, 4) + entry.name + entry.extra;
}
std::string end(uint64_t members, uint64_t offset) {
  return "PK\x05\x06" + number(0, 4) + number(members, 2) + number(members, 2) + number(0, 4) +
         number(offset, 4) + number(0, 2);
}
std::string archive(const Entry& entry) {
  const std::string head = local(entry.name);
  return head + in_directory(entry) + end(1, head.size());
}

std::string extracted(const std::string& bytes) {
  const io::ZipReader zip(bytes, "a.zip");
  return std::string(zip.extract(zip.members().at(0)).bytes);
}

TEST(Zip, ReadsZip64) {
  EXPECT_EQ(extracted(archive({})), "abc");
  const std::string sizes =
      number(1, 2) + number(24, 2) + number(3, 8) + number(3, 8) + number(0, 8);
  EXPECT_EQ(extracted(archive({.offset = UINT32_MAX, .size = UINT32_MAX, .extra = sizes})), "abc");
  // The end record of 32-bit fields says that the wide one is to be read.
  const std::string head = local("m"), body = head + in_directory({});
  const std::string wide = "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) +
                           number(0, 8) + number(1, 8) + number(1, 8) +
                           number(body.size() - head.size(), 8) + number(head.size(), 8);
  const std::string locator = "PK\x06\x07" + number(0, 4) + number(body.size(), 8) + number(1, 4);
  EXPECT_EQ(extracted(body + wide + locator + end(UINT16_MAX, UINT32_MAX)), "abc");
  const std::string astray = "PK\x06\x07" + number(0, 4) + number(INT64_MAX, 8) + number(1, 4);
  EXPECT_CONTAINS(error_of([&] { extracted(body + wide + astray + end(UINT16_MAX, UINT32_MAX)); }),
                  "DataLoss");
}

TEST(Zip, RefusesForgedArchives) {
  const std::string head = local("m");
  const std::string twice = in_directory({.name = "a"}) + in_directory({.name = "b"});
  struct Case {
    std::string bytes;
    const char* wanted;
  };
  const Case table[] = {
      {"", "it has no directory"},
      {archive({.size = 4}), "fails its checksum"},
      {archive({.size = 1000}), "ends past the end of the file"},
      {archive({.offset = 1}), "is not where it should be"},
      {archive({.offset = 4'000'000'000}), "ends past the end of the file"},
      {archive({.flags = 1}), "is encrypted"},
      {archive({.method = 12}), "compression method 12"},
      {archive({.method = 8}), "damaged or not of the stated size"},
      {head + in_directory({}) + in_directory({}) + end(2, head.size()), "two members named 'm'"},
      {head + in_directory({}) + end(2, head.size()), "its directory is broken"},
      {head + in_directory({}) + end(1, 1), "its directory is broken"},
      {head + in_directory({}) + end(1, 4'000'000'000), "ends too early"},
  };
  for (const Case& row : table)
    EXPECT_CONTAINS(error_of([&] { extracted(row.bytes); }), row.wanted);
  // One byte that two members share.
  EXPECT_CONTAINS(error_of([&] { extracted(head + twice + end(2, head.size())); }),
                  "its members overlap");
  const std::string second = local("b");
  const auto two = [&](uint64_t size, uint64_t offset) {
    const std::string entries =
        in_directory({.name = "m", .size = size}) + in_directory({.name = "b", .offset = offset});
    return head + second + entries + end(2, head.size() + second.size());
  };
  EXPECT_EQ(extracted(two(3, head.size())), "abc");
  EXPECT_CONTAINS(error_of([&] { extracted(two(4, head.size())); }), "its members overlap");
}

TEST(Zip, InflatesInPieces) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += str(i * i, " ");
  std::string packed(::compressBound(text.size()), '\0');
  z_stream stream{};
  ASSERT_EQ(::deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{1000}, text.size(), 2 * text.size()}) {
    EXPECT_EQ(io::inflate_raw(packed, text.size(), "x", piece), text) << piece;
    for (const int64_t off : {-1, 1}) {
      const size_t size = text.size() + static_cast<size_t>(off);
      EXPECT_CONTAINS(error_of([&] { io::inflate_raw(packed, size, "x", piece); }), "DataLoss");
    }
    const std::string_view cut = std::string_view(packed).substr(0, packed.size() - 1);
    EXPECT_CONTAINS(error_of([&] { io::inflate_raw(cut, text.size(), "x", piece); }), "DataLoss");
  }
  EXPECT_EQ(io::inflate_raw(std::string("\x03\0", 2), 0, "x"), "");
}

TEST(Zip, WritesMembersPieceByPiece) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.zip";
  io::ZipWriter zip(path);
  zip.add("first", "abc");
  zip.begin("second", 6);
  zip.write("ab", 2);
  zip.write("cdef", 4);
  zip.end();
  zip.close();
  const io::ZipReader read(io::read_file(path), path);
  ASSERT_EQ(read.members().size(), 2u);
  EXPECT_EQ(read.extract(read.members()[0]).bytes, "abc");
  EXPECT_EQ(read.extract(read.members()[1]).bytes, "abcdef");
  io::ZipWriter shorter(path);
  shorter.begin("m", 6);
  shorter.write("ab", 2);
  EXPECT_CONTAINS(error_of([&] { shorter.end(); }), "'m' of 2 bytes");
}

// The writer sums up the member byte after byte, the reader by pieces on several threads.
TEST(Zip, AChecksumOfManyPiecesIsThatOfTheWhole) {
  const TemporaryFolder folder;
  std::string content((9 << 20) + 17, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * i >> 7);
  {
    io::ZipWriter archive(folder / "x.zip");
    archive.begin("large", content.size());
    archive.write(content.data(), content.size());
    archive.end();
    archive.close();
  }
  std::string bytes = io::read_file(folder / "x.zip");
  const io::ZipReader whole(bytes, "x.zip");
  EXPECT_EQ(whole.extract(whole.members()[0]).bytes, content);
  for (const size_t at : {size_t{100}, bytes.size() / 2, (size_t{9} << 20) + 20}) {
    std::string damaged = bytes;
    damaged[at] ^= 4;
    const io::ZipReader archive(damaged, "x.zip");
    EXPECT_THROW(archive.extract(archive.members()[0]), DataLoss) << at;
  }
}

}  // namespace
}  // namespace systolic
