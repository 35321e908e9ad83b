#include "systolic/io/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/io/test_files.h"

namespace systolic {
namespace {

TEST(File, WritesAndReadsBack) {
  TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  io::write_file(folder / "x", bytes);
  EXPECT_EQ(io::read_file(folder / "x"), bytes);
  const auto mapped = io::MappedFile::open(folder / "x");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(mapped->bytes().data()), 4), bytes);
  io::write_file(folder / "empty", "");
  EXPECT_EQ(io::read_file(folder / "empty"), "");
  EXPECT_EQ(io::MappedFile::open(folder / "empty")->bytes().size(), 0u);
}

TEST(File, AnUncommittedFileLeavesTheOldOne) {
  TemporaryFolder folder;
  io::write_file(folder / "x", "old");
  {
    io::AtomicFile file(folder / "x");
    file.write("new");
  }
  EXPECT_EQ(io::read_file(folder / "x"), "old");
  EXPECT_EQ(io::glob(folder / "*").size(), 1u);
}

TEST(File, ErrorsNamePathAndReason) {
  TemporaryFolder folder;
  EXPECT_CONTAINS(error_of([&] { io::read_file(folder / "none"); }), "NotFound: cannot open '");
  EXPECT_CONTAINS(error_of([&] { io::read_file("none.bin"); }), "the path is relative to /");
  EXPECT_CONTAINS(error_of([&] { io::read_file(folder / ""); }), "is a directory, expected a file");
  EXPECT_CONTAINS(error_of([&] { io::AtomicFile(folder / "no/x"); }), "NotFound: cannot create");
  EXPECT_CONTAINS(error_of([&] { io::read_file("gs://bucket/x"); }), "Unimplemented");
}

// Neither are they read without end, nor does a file take their place.
TEST(File, DevicesAndDirectoriesAreNoFiles) {
  TemporaryFolder folder;
  ASSERT_EQ(::symlink("/dev/zero", (folder / "zero").c_str()), 0);
  EXPECT_CONTAINS(error_of([&] { io::read_file(folder / "zero"); }),
                  "is a device, expected a file");
  for (const std::string& path : {folder / "zero", folder / ""}) {
    EXPECT_CONTAINS(error_of([&] { io::write_file(path, "x"); }),
                    "InvalidArgument: '" + path + "' is there, and is no regular file");
  }
  EXPECT_CONTAINS(error_of([&] { io::write_file("", "x"); }), "the path is empty");
  EXPECT_EQ(io::glob(folder / "*").size(), 1u);
}

TEST(File, ReadsAPipeToItsEnd) {
  TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string bytes(100'000, 'x');
  std::thread writer([&] { std::ofstream(path) << bytes; });
  EXPECT_EQ(io::read_file(path), bytes);
  writer.join();
}

TEST(File, GlobSortsAndUnderstandsPatterns) {
  TemporaryFolder folder;
  for (const char* name : {"b-1", "a-2", "a-1", "c"}) io::write_file(folder / name, "");
  const std::vector<std::string> both{folder / "a-1", folder / "a-2"};
  EXPECT_EQ(io::glob(folder / "a-*"), both);
  EXPECT_EQ(io::glob(folder / "a-?"), both);
  EXPECT_EQ(io::glob(folder / "[ab]-1"),
            (std::vector<std::string>{folder / "a-1", folder / "b-1"}));
  const std::string error = error_of([&] { io::glob(folder / "*.tfrec"); });
  EXPECT_CONTAINS(error, "no file matches '");
  EXPECT_CONTAINS(error, "a-1, a-2, b-1, c");
}

}  // namespace
}  // namespace systolic
