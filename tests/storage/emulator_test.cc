// gs:// paths against a server that others wrote; with_emulator.py starts it and sets
// STORAGE_EMULATOR_HOST.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/core/example.h"
#include "systolic/data/dataset.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/io/tensors/safetensors.h"

namespace systolic {
namespace {

using Paths = std::vector<std::string>;

std::string some_bytes(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 7;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

TEST(Emulator, WritesAndReadsBack) {
  // The last takes several pieces of a resumable upload, and several ranges.
  for (const size_t size : {0, 1, 1000, (1 << 23) - 1, 1 << 23, (1 << 24) + 12'345}) {
    const std::string path = str("gs://bucket/sizes/", size, " bytes?");
    io::write_file(path, some_bytes(size));
    EXPECT_TRUE(io::read_file(path) == some_bytes(size)) << size;
    EXPECT_EQ(io::file_system(path).status(path)->bytes, size);
  }
}

TEST(Emulator, ReplacesListsRenamesAndRemoves) {
  for (const char* name : {"a/1", "a/2", "a/b/3", "c"}) {
    io::write_file(str("gs://bucket/files/", name), "old");
    io::write_file(str("gs://bucket/files/", name), name);
  }
  EXPECT_EQ(io::read_file("gs://bucket/files/a/2"), "a/2");
  EXPECT_EQ(io::glob("gs://bucket/files/a/*"),
            (Paths{"gs://bucket/files/a/1", "gs://bucket/files/a/2"}));
  EXPECT_EQ(io::glob("gs://bucket/files/*/*/[3-5]"), Paths{"gs://bucket/files/a/b/3"});
  io::FileSystem& files = io::file_system("gs://bucket");
  EXPECT_EQ(files.list("gs://bucket/files", 9), (Paths{"a", "c"}));
  files.rename("gs://bucket/files/c", "gs://bucket/files/d");
  EXPECT_FALSE(io::exists("gs://bucket/files/c"));
  EXPECT_EQ(io::read_file("gs://bucket/files/d"), "c");
  files.remove("gs://bucket/files/d");
  EXPECT_FALSE(io::exists("gs://bucket/files/d"));
  EXPECT_TRUE(files.status("gs://bucket/files/a")->folder);
  EXPECT_CONTAINS(error_of([&] { io::glob("gs://bucket/files/x*"); }), "a folder with a");
  EXPECT_CONTAINS(error_of([&] { io::read_file("gs://no-such-bucket/x"); }), "NotFound");
}

// The whole way: what is written as records is trained on from the bucket.
TEST(Emulator, DatasetsReadRecords) {
  {
    io::TFRecordWriter writer("gs://bucket/records/all.tfrec");
    for (int64_t i = 0; i < 100; ++i) writer.write(Example{{"x", Literal::scalar<int64_t>(i)}});
  }
  auto records = data::tfrecords(io::glob("gs://bucket/records/*.tfrec"))
                     .map(data::parse_example({{"x", FixedLenFeature{.dtype = DType::i64}}}));
  int64_t sum = 0;
  for (const Example& example : records) sum += example["x"].item<int64_t>();
  EXPECT_EQ(sum, 4950);
  EXPECT_CONTAINS(error_of([&] {
                    data::tfrecords(Paths{"gs://bucket/records/all.tfrec", "gs://bucket/none"});
                  }),
                  "NotFound: cannot read 'gs://bucket/none'");
}

TEST(Emulator, ArraysAndWeights) {
  const Literal array = Literal::of<float>({1, 2, 3});
  io::write_npy("gs://bucket/a.npy", array);
  EXPECT_EQ(io::read_npy("gs://bucket/a.npy"), array);
  io::write_safetensors("gs://bucket/w.safetensors", Example{{"w", array}});
  EXPECT_EQ(io::read_safetensors("gs://bucket/w.safetensors").tensors["w"], array);
}

}  // namespace
}  // namespace systolic
