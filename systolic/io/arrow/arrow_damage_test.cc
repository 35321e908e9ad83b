// Damaged and hostile files: named errors, no crash, no memory without bound.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/arrow/arrow_file.h"
#include "systolic/io/arrow/arrow_program.h"
#include "systolic/io/arrow/parse_batch.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/files/test_memory_files.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

using namespace std::string_literals;

std::string arrow_bytes(const std::string& name) {
  return io::read_file(test::source_path("systolic/datasets/golden/arrow/") + name);
}

class ArrowDamage : public testing::Test {
 protected:
  void SetUp() override {
    if (!io::has_arrow()) GTEST_SKIP() << "this build has no Arrow";
  }
  std::string error_of_file(const std::string& bytes, const std::string& name) const {
    put_file(folder_ / name, bytes);
    return error_of([&] {
      io::ArrowFile file(folder_ / name);
      while (file.next()) continue;
    });
  }
  const TemporaryFolder folder_;
};

TEST_F(ArrowDamage, FilesThatEndEarly) {
  for (const char* name : {"zstd.parquet", "file.arrow", "stream.arrow"}) {
    const std::string whole = arrow_bytes(name);
    EXPECT_EQ(error_of_file(whole, name), "no error");
    for (size_t size = 0; size < whole.size() * 3 / 4; size += whole.size() / 9 + 1) {
      SCOPED_TRACE(str(name, " of ", size, " bytes"));
      const std::string error = error_of_file(whole.substr(0, size), name);
      // A stream of whole batches is a file, too.
      if (error == "no error") continue;
      expect_parts(error, {"DataLoss", name, "arrow_damage_test.cc:"});
    }
    expect_parts(error_of_file("", name), {"DataLoss", name});
  }
}

TEST_F(ArrowDamage, BytesThatWereChanged) {
  for (const char* name : {"none.parquet", "zstd.parquet", "file.arrow", "stream.arrow"}) {
    const std::string whole = arrow_bytes(name);
    uint32_t state = 7;
    for (int i = 0; i < 60; ++i) {
      std::string changed = whole;
      for (int j = 0; j < 3; ++j) {
        state = state * 1664525u + 1013904223u;
        changed[(state >> 8) % changed.size()] ^= static_cast<char>(1u << (state & 7u));
      }
      const std::string error = error_of_file(changed, name);
      const bool known = error == "no error" || error.starts_with("DataLoss") ||
                         error.starts_with("Unimplemented");
      EXPECT_TRUE(known) << error;
    }
  }
}

// Thrift's compact protocol: the footer of a file of 2^60 rows in a group without columns, and of a
// list of 2^31 - 1 fields.
std::string with_footer(const std::string& footer) {
  std::string size(4, '\0');
  for (size_t i = 0; i < 4; ++i) size[i] = static_cast<char>(footer.size() >> (8 * i));
  return "PAR1" + footer + size + "PAR1";
}

TEST_F(ArrowDamage, WhatAFileClaimsIsNotAllocated) {
  const std::string root = "\x48\x04root\x15\x02", leaf = "\x15\x02\x25\x00\x18\x01x"s;
  const std::string rows = "\x80\x80\x80\x80\x80\x80\x80\x80\x20"s;  // 2^60, zigzag
  const std::string claims[] = {
      with_footer("\x15\x02\x19\x2c" + root + "\0"s + leaf + "\0"s + "\x16" + rows +
                  "\x19\x1c\x19\x0c\x16\x00\x16"s + rows + "\0\0"s),
      with_footer("\x15\x02\x19\xfc\xff\xff\xff\xff\x07"s),
      "PAR1" + std::string("\xff\xff\xff\x7f") + "PAR1",
      "\xff\xff\xff\xff\xff\xff\xff\x7f"s,
  };
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  for (const std::string& bytes : claims) {
    const std::string error = error_of_file(bytes, "claims.parquet");
    expect_parts(error, {"DataLoss", "claims.parquet"});
  }
  getrusage(RUSAGE_CHILDREN, &after);
  EXPECT_LT(after.ru_maxrss, std::max<long>(before.ru_maxrss, 400'000)) << "kB";
}

TEST_F(ArrowDamage, FilesOfAnotherKind) {
  EXPECT_CONTAINS(
      error_of_file("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "x.parquet"),
      "Git LFS");
  expect_parts(error_of_file("text,label\na,1\n", "x.parquet"), {"DataLoss", "x.parquet"});
  EXPECT_CONTAINS(error_of([&] { io::ArrowFile(folder_ / "none.parquet"); }), "NotFound");
}

// The same file by way of the library, as gs:// has it.
TEST_F(ArrowDamage, FilesThatOnlyTheLibraryReaches) {
  const auto files = std::make_shared<MemoryFiles>();
  io::register_file_system("arrowtest", files);
  for (const char* name : {"zstd.parquet", "stream.arrow"}) {
    const std::string path = str("arrowtest://bucket/", name);
    files->files[path] = arrow_bytes(name);
    io::ArrowFile file(path);
    int64_t rows = 0;
    while (const auto batch = file.next()) rows += batch->rows;
    EXPECT_EQ(rows, 7);
  }
}

TEST(ArrowProgram, ABuildWithoutItSaysSo) {
  if (io::has_arrow()) GTEST_SKIP() << "this build has Arrow";
  const TemporaryFolder folder;
  put_file(folder / "x.parquet", "PAR1");
  expect_parts(error_of([&] { io::ArrowFile(folder / "x.parquet"); }),
               {"Unimplemented", "this build reads no Parquet and no Arrow files",
                "./run fetch puts Arrow C++ into .deps/arrow"});
}

TEST(ParseBatch, AnswersThatMakeNoSenseAreRefused) {
  const auto damaged = [](std::string_view what) -> void {
    throw std::runtime_error(std::string(what));
  };
  const std::vector<io::ArrowField> fields = {{.name = "s", .kind = io::ArrowKind::string}};
  const auto batch = [&](const std::vector<uint64_t>& head, const std::string& buffers) {
    io::arrow_wire::Writer out;
    out.number(head.size() * 8);
    for (const uint64_t number : head) out.number(number);
    std::string bytes = out.bytes();
    bytes.resize(io::arrow_wire::aligned(bytes.size()));
    return bytes + buffers;
  };
  const std::string offsets = "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"s;
  const auto error = [&](const std::vector<uint64_t>& head, const std::string& buffers) {
    try {
      io::parse_batch(batch(head, buffers), fields, damaged);
    } catch (const std::runtime_error& thrown) {
      return std::string(thrown.what());
    }
    return std::string("no error");
  };
  const std::string good = offsets + std::string(48, '\0') + "x";
  EXPECT_EQ(error({1, 1, 0, 0, 0, 16, 64, 1}, good), "no error");
  const std::vector<uint64_t> heads[] = {
      {},                           // nothing
      {1, 2, 0, 0, 0, 16, 64, 1},   // another length
      {1, 1, 0, 0, 0, 16, 64, 2},   // more bytes than the offsets say
      {1, 1, 0, 0, 0, 16, 128, 1},  // beyond the end
      {1, 1, 0, 0, 0, 16, 1, 1},    // not aligned
      {1, 1, 0, 2, 0, 16, 64, 1},   // two validities
      {1, UINT64_MAX, 0, 0, 0, 0, 0, 0},
      {1, 1, 0, 0, 0, 16, 64, 1, 0}};  // more than fields
  for (const auto& head : heads) EXPECT_EQ(error(head, good), "a batch that makes no sense");
  EXPECT_EQ(error({1, 1, 0, 0, 0, 16, 64, 1}, "\1" + good.substr(1)),
            "a batch that makes no sense");
}

}  // namespace
}  // namespace systolic
