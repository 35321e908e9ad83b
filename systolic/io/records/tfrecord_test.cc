#include <zlib.h>

#include <cstring>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/archive/test_gzip_bomb.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

using io::Compression;
using io::OnCorrupt;
using Records = std::vector<std::string>;

Records read_all(const std::string& path, io::TFRecordReaderOptions options = {},
                 io::TFRecordCounts* counts = nullptr) {
  io::TFRecordReader reader(path, options);
  Records records;
  std::string_view record;
  while (reader.next(record)) records.emplace_back(record);
  if (counts != nullptr) *counts = reader.counts();
  return records;
}

void write_all(const std::string& path, const Records& records,
               Compression compression = Compression::none) {
  io::TFRecordWriter writer(path, {.compression = compression});
  for (const std::string& record : records) writer.write(record);
  writer.close();
}

Records sample_records() {
  Records records{"", "a", std::string(700, 'x'), std::string("\0\1", 2)};
  for (int i = 0; i < 50; ++i)
    records.push_back(std::string(static_cast<size_t>(i * 37), char('A' + i % 26)));
  return records;
}

// The layout by its definition: little-endian length, masked CRC of it, data, masked CRC of the
// data.
TEST(TFRecord, BytesAreThoseOfTheFormat) {
  TemporaryFolder folder;
  write_all(folder / "x", {"abc"});
  const std::string bytes = io::read_file(folder / "x");
  ASSERT_EQ(bytes.size(), 8u + 4 + 3 + 4);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  uint32_t length_crc = 0, data_crc = 0;
  std::memcpy(&length_crc, bytes.data() + 8, 4);
  std::memcpy(&data_crc, bytes.data() + 15, 4);
  EXPECT_EQ(length_crc, io::mask_crc(io::crc32c_by_table(bytes.data(), 8)));
  EXPECT_EQ(data_crc, io::mask_crc(io::crc32c_by_table("abc", 3)));
}

TEST(TFRecord, ReadsBackWhatWasWritten) {
  TemporaryFolder folder;
  for (Compression compression : {Compression::none, Compression::gzip, Compression::zlib}) {
    const std::string path = folder / to_string(compression);
    write_all(path, sample_records(), compression);
    for (size_t block_bytes : {size_t{1}, size_t{13}, size_t{1000}, size_t{1} << 18}) {
      EXPECT_EQ(read_all(path, {.compression = compression, .block_bytes = block_bytes}),
                sample_records());
    }
  }
}

TEST(TFRecord, BlocksHoldTheSameRecordsAndOutliveTheReader) {
  TemporaryFolder folder;
  write_all(folder / "x", sample_records());
  std::vector<io::RecordBlock> blocks;
  {
    io::TFRecordReader reader(folder / "x", {.block_bytes = 2000});
    for (io::RecordBlock block; reader.next_block(block, 7);) blocks.push_back(block);
  }
  Records records;
  for (const auto& block : blocks) {
    EXPECT_LE(block.records.size(), 7u);
    records.insert(records.end(), block.records.begin(), block.records.end());
  }
  EXPECT_EQ(records, sample_records());
}

TEST(TFRecord, ConcatenatedGzipMembersAreOneFile) {
  TemporaryFolder folder;
  write_all(folder / "a", {"one", "two"}, Compression::gzip);
  write_all(folder / "b", {"three"}, Compression::gzip);
  put_file(folder / "ab", io::read_file(folder / "a") + io::read_file(folder / "b"));
  EXPECT_EQ(read_all(folder / "ab", {.compression = Compression::gzip}),
            (Records{"one", "two", "three"}));
}

TEST(TFRecord, TruncationAtEveryByteIsSaidAndEarlierRecordsAreDelivered) {
  TemporaryFolder folder;
  const Records records{"first", "", "the third record"};
  write_all(folder / "x", records);
  const std::string bytes = io::read_file(folder / "x");
  const std::vector<size_t> ends{0, 21, 37, bytes.size()};
  for (size_t size = 0; size < bytes.size(); ++size) {
    put_file(folder / "cut", bytes.substr(0, size));
    size_t whole = 0;
    while (ends[whole + 1] <= size) ++whole;
    io::TFRecordReader reader(folder / "cut");
    CaughtLog log;
    std::string_view record;
    for (size_t i = 0; i < whole; ++i) {
      ASSERT_TRUE(reader.next(record));
      EXPECT_EQ(record, records[i]);
    }
    if (ends[whole] == size) {
      EXPECT_FALSE(reader.next(record));
      EXPECT_EQ(contains(log.lines(), "is empty"), size == 0);
      continue;
    }
    const std::string error = error_of([&] { reader.next(record); });
    EXPECT_CONTAINS(error, "DataLoss: '" + (folder / "cut") + "', record " + std::to_string(whole) +
                               " at byte " + std::to_string(ends[whole]));
    EXPECT_FALSE(reader.next(record));
    io::TFRecordCounts counts;
    EXPECT_EQ(read_all(folder / "cut", {.on_corrupt = OnCorrupt::skip_record}, &counts).size(),
              whole);
    EXPECT_EQ(counts.corrupt_records, 1);
  }
}

TEST(TFRecord, EveryFlippedBitIsFound) {
  TemporaryFolder folder;
  const Records records{"first", "second!", "the third record"};
  write_all(folder / "x", records);
  const std::string bytes = io::read_file(folder / "x");
  CaughtLog log;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    put_file(folder / "bad", damaged);
    const size_t hit = bit / 8 < 21 ? 0 : bit / 8 < 44 ? 1 : 2;
    EXPECT_CONTAINS(error_of([&] { read_all(folder / "bad"); }),
                    "record " + std::to_string(hit) + " at byte");
    // The undamaged records come out whatever the damage.
    Records others = records;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(hit));
    io::TFRecordCounts counts;
    EXPECT_EQ(read_all(folder / "bad", {.on_corrupt = OnCorrupt::skip_record}, &counts), others);
    EXPECT_EQ(counts.corrupt_records, 1);
    const Records before(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(hit));
    EXPECT_EQ(read_all(folder / "bad", {.on_corrupt = OnCorrupt::skip_file}, &counts), before);
    EXPECT_EQ(counts.skipped_files, 1);
  }
}

TEST(TFRecord, DamageNamesBothChecksums) {
  TemporaryFolder folder;
  write_all(folder / "x", {"abc"});
  std::string bytes = io::read_file(folder / "x");
  bytes[12] = 'b';
  put_file(folder / "x", bytes);
  char got[16], wanted[16];
  std::snprintf(got, sizeof(got), "0x%08x", io::crc32c_by_table("abc", 3));
  std::snprintf(wanted, sizeof(wanted), "0x%08x", io::crc32c_by_table("bbc", 3));
  const std::string fault =
      str("record 0 at byte 0: the checksum of the record's data is wrong, got ", got,
          ", expected ", wanted);
  const std::string error = error_of([&] { read_all(folder / "x"); });
  EXPECT_CONTAINS(error, fault);
  EXPECT_CONTAINS(error, "skip_record");
  const CaughtLog log;
  EXPECT_TRUE(read_all(folder / "x", {.on_corrupt = OnCorrupt::skip_record}).empty());
  EXPECT_CONTAINS(log.lines(), "left out: '" + (folder / "x") + "', " + fault);
  EXPECT_FALSE(contains(log.lines(), "skip_record")) << log.lines();
  const std::string logged = log.lines();
  std::string told;
  read_all(folder / "x", {.on_corrupt = OnCorrupt::skip_record,
                          .on_first_left_out = [&](const DataLoss& e) { told += e.what(); }});
  EXPECT_CONTAINS(told, fault);
  EXPECT_EQ(log.lines(), logged);
}

std::string forged_header(uint64_t length) {
  std::string header(12, '\0');
  std::memcpy(header.data(), &length, 8);
  const uint32_t crc = io::mask_crc(io::crc32c(header.data(), 8));
  std::memcpy(header.data() + 8, &crc, 4);
  return header;
}

TEST(TFRecord, ForgedLengthsAllocateNothing) {
  TemporaryFolder folder;
  for (uint64_t length :
       {uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 15, uint64_t{1} << 40, uint64_t{100}}) {
    put_file(folder / "x", forged_header(length) + "data");
    EXPECT_CONTAINS(error_of([&] { read_all(folder / "x"); }),
                    str("the record's length is ", length, " bytes"));
  }
  put_file(folder / "x", forged_header(0).substr(0, 12));
  EXPECT_CONTAINS(error_of([&] { read_all(folder / "x"); }), "ends inside the checksum after them");
  for (const auto& [cut, where] :
       {std::pair(4, "before the first of them"), std::pair(1, "after 3 of them"),
        std::pair(0, "inside the checksum after them")}) {
    put_file(folder / "x", forged_header(4) + std::string("data").substr(0, 4 - cut));
    EXPECT_CONTAINS(error_of([&] { read_all(folder / "x"); }),
                    str("the record's length is 4 bytes, and the file ends ", where));
  }
  // In a compressed stream the size of the rest is unknown: memory grows only with the bytes that
  // come.
  const std::string plain = forged_header(uint64_t{1} << 30) + std::string(1000, 'x');
  std::string packed(2000, '\0');
  uLongf size = packed.size();
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  put_file(folder / "z", packed.substr(0, size));
  EXPECT_CONTAINS(error_of([&] { read_all(folder / "z", {.compression = Compression::zlib}); }),
                  "bytes, and the file ends after 1000 of them");
  EXPECT_CONTAINS(error_of([&] {
                    read_all(folder / "z",
                             {.compression = Compression::zlib, .max_record_bytes = 1 << 20});
                  }),
                  "bytes, expected at most max_record_bytes = 1048576");
}

TEST(TFRecord, AGzipBombEndsBeforeItFillsTheMemory) {
  TemporaryFolder folder;
  // One record of 2 GiB less 1, as its good header says, and 300 MiB of it.
  put_file(folder / "x", gzip_bomb(forged_header((uint64_t{1} << 31) - 1), size_t{300} << 20));
  const std::string error =
      error_of([&] { read_all(folder / "x", {.compression = Compression::gzip}); });
  EXPECT_CONTAINS(error, "DataLoss");
  EXPECT_CONTAINS(error, "it unpacks to more than a hundred times its size");
  CaughtLog log;
  const Records none = read_all(
      folder / "x", {.compression = Compression::gzip, .on_corrupt = OnCorrupt::skip_record});
  EXPECT_TRUE(none.empty());
}

TEST(TFRecord, DamagedCompressionNamesFileAndRecord) {
  TemporaryFolder folder;
  Records records;
  uint32_t state = 7;
  for (int i = 0; i < 100; ++i) {
    records.emplace_back();
    for (int j = 0; j < 100; ++j)
      records.back() += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  }
  write_all(folder / "x", records, Compression::gzip);
  const std::string bytes = io::read_file(folder / "x");
  put_file(folder / "cut", bytes.substr(0, bytes.size() / 2));
  const std::string error =
      error_of([&] { read_all(folder / "cut", {.compression = Compression::gzip}); });
  EXPECT_CONTAINS(error, "DataLoss: '" + (folder / "cut") + "', record ");
  EXPECT_CONTAINS(error, "the compressed data ends too early");
  CaughtLog log;
  const Records some = read_all(
      folder / "cut", {.compression = Compression::gzip, .on_corrupt = OnCorrupt::skip_record});
  EXPECT_GT(some.size(), 30u);
  EXPECT_LT(some.size(), 60u);
}

// Whole records between a damaged one and the place where the compressed data ends are read.
TEST(TFRecord, DamageBeforeTheEndOfACutFileCostsNoOtherRecord) {
  TemporaryFolder folder;
  write_all(folder / "x", {"first", "second", "third", "fourth"});
  std::string bytes = io::read_file(folder / "x");
  bytes[21 + 12] ^= 1;                                            // in "second"
  const std::string packed = gzip_bomb(bytes, 0);                 // without a bomb
  put_file(folder / "cut", packed.substr(0, packed.size() - 8));  // without the member's end
  const CaughtLog log;
  EXPECT_EQ(read_all(folder / "cut",
                     {.compression = Compression::gzip, .on_corrupt = OnCorrupt::skip_record}),
            (Records{"first", "third", "fourth"}));
}

TEST(TFRecord, WrongKindsOfFilesAreNamed) {
  TemporaryFolder folder;
  write_all(folder / "gz", sample_records(), Compression::gzip);
  write_all(folder / "zl", sample_records(), Compression::zlib);
  write_all(folder / "plain", sample_records());
  put_file(folder / "jpeg", "\xff\xd8\xff\xe0 and so on, some bytes");
  EXPECT_CONTAINS(error_of([&] { read_all(folder / "gz"); }),
                  "(it looks like GZIP, opened as not compressed)");
  EXPECT_CONTAINS(error_of([&] { read_all(folder / "gz"); }),
                  "hint: pass {.compression = io::Compression::gzip}");
  EXPECT_CONTAINS(error_of([&] { read_all(folder / "zl"); }), "io::Compression::zlib");
  EXPECT_CONTAINS(error_of([&] { read_all(folder / "jpeg"); }), "it looks like JPEG");
  EXPECT_CONTAINS(
      error_of([&] { read_all(folder / "plain", {.compression = Compression::gzip}); }),
      "read as GZIP, compressed byte 2: incorrect header check.\n  hint: it does not look "
      "compressed; open it with Compression::none");
  EXPECT_CONTAINS(error_of([&] { read_all(folder / ""); }), "is a directory");
  EXPECT_CONTAINS(error_of([&] { read_all(folder / "none"); }), "NotFound");
}

TEST(TFRecord, AnUnfinishedFileNeverGetsItsName) {
  TemporaryFolder folder;
  try {
    io::TFRecordWriter writer(folder / "x");
    writer.write("abc");
    throw 1;
  } catch (int) {
  }
  EXPECT_FALSE(io::exists(folder / "x"));
  {
    io::TFRecordWriter writer(folder / "y");
    writer.write("abc");
    EXPECT_EQ(writer.records(), 1);
  }
  EXPECT_EQ(read_all(folder / "y"), Records{"abc"});
  io::TFRecordWriter closed(folder / "z");
  closed.close();
  EXPECT_CONTAINS(error_of([&] { closed.write("late"); }), "FailedPrecondition");
}

}  // namespace
}  // namespace systolic
