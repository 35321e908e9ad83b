#include "systolic/io/files/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/read_range.h"
#include "systolic/io/files/test_files.h"

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
  EXPECT_CONTAINS(error_of([&] { io::read_file("ftp://host/x"); }),
                  "Unimplemented: 'ftp://host/x': files of ftp:// cannot be opened");
}

// Neither are they read without end, nor does a file take their place.
TEST(File, DevicesAndDirectoriesAreNoFiles) {
  TemporaryFolder folder;
  ASSERT_EQ(::symlink("/dev/zero", (folder / "zero").c_str()), 0);
  EXPECT_CONTAINS(error_of([&] { io::read_file(folder / "zero"); }),
                  "is a device, expected a file");
  for (const std::string& path : {folder / "zero", folder / ""}) {
    EXPECT_CONTAINS(error_of([&] { io::write_file(path, "x"); }),
                    "InvalidArgument: '" + path + "' exists and is not a regular file");
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

TEST(File, APipeWaitsForItsWriter) {
  TemporaryFolder folder;
  const std::string path = folder / "late";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "what came"; });
  EXPECT_EQ(io::read_file(path), "what came");
  writer.join();
  // One that ends without a byte.
  std::thread nothing([&] { std::ofstream opened(path); });
  EXPECT_EQ(io::read_file(path), "");
  nothing.join();
}

// Files of which nobody knows when they end, or whether they begin.
TEST(File, APipeIsNoFileToMapAndNoneOfSettings) {
  TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const std::string& error : {error_of([&] { io::MappedFile::open(path); }),
                                   error_of([&] { io::read_file_of_at_most(path, 1 << 20); })}) {
    EXPECT_CONTAINS(error, "InvalidArgument: '" + path + "' is a pipe, expected a file");
    EXPECT_CONTAINS(error, "file_test.cc:");
  }
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

TEST(File, ReadsAtAnyPlace) {
  TemporaryFolder folder;
  put_file(folder / "x", "0123456789");
  io::File file(folder / "x");
  char bytes[8] = {};
  EXPECT_EQ(file.read(bytes, 2), 2u);
  for (size_t offset : {7, 0, 3}) {
    const size_t count = file.read_at(offset, bytes, 4);
    EXPECT_EQ(std::string(bytes, count), std::string("0123456789").substr(offset, 4));
  }
  EXPECT_EQ(file.read_at(100, bytes, 4), 0u);
  EXPECT_EQ(file.read(bytes, 2), 2u);
  EXPECT_EQ(std::string(bytes, 2), "23");
}

TEST(FileSystem, KnowsRemovesAndRenamesFiles) {
  TemporaryFolder folder;
  io::FileSystem& files = io::file_system(folder / "x");
  EXPECT_FALSE(files.status(folder / "x"));
  EXPECT_FALSE(files.status(folder / "x/y"));
  put_file(folder / "x", "abc");
  EXPECT_EQ(files.status(folder / "x")->bytes, 3u);
  EXPECT_FALSE(files.status(folder / "x")->folder);
  EXPECT_TRUE(files.status(folder / "")->folder);
  put_file(folder / "y", "old");
  files.rename(folder / "x", folder / "y");
  EXPECT_EQ(io::read_file(folder / "y"), "abc");
  EXPECT_EQ(files.list(folder / "", 5), std::vector<std::string>{"y"});
  files.remove(folder / "y");
  EXPECT_CONTAINS(error_of([&] { files.remove(folder / "y"); }), "NotFound: cannot remove '");
  EXPECT_CONTAINS(error_of([&] { files.rename(folder / "a", folder / "b"); }),
                  "NotFound: cannot rename to");
}

TEST(FileSystem, OfASchemeIsTheOneThatWasRegistered) {
  struct : io::FileSystem {
    std::unique_ptr<io::ReadableFile> open(const std::string& path, SourceLocation at) override {
      return io::file_system("").open(path.substr(path.find("://") + 3), at);
    }
    std::unique_ptr<io::WritableFile> create(const std::string& path, SourceLocation at) override {
      return io::file_system("").create(path.substr(path.find("://") + 3), at);
    }
    std::optional<io::FileStatus> status(const std::string&, SourceLocation) override { return {}; }
    std::vector<std::string> glob(const std::string&, SourceLocation) override { return {}; }
    std::vector<std::string> list(const std::string&, size_t, SourceLocation) override {
      return {"only-this"};
    }
    void remove(const std::string&, SourceLocation) override {}
    void rename(const std::string&, const std::string&, SourceLocation) override {}
  } mirror;
  io::register_file_system("mirror", {std::shared_ptr<void>(), &mirror});
  TemporaryFolder folder;
  const std::string path = "mirror://" + (folder / "x");
  io::write_file(path, "abc");
  EXPECT_EQ(io::read_file(path), "abc");
  EXPECT_EQ(io::MappedFile::open(path)->bytes().size(), 3u);
  EXPECT_FALSE(io::exists(path));
  EXPECT_CONTAINS(error_of([&] { io::glob("mirror://a/*"); }), "a folder with only-this");
  io::check_readable({folder / "x", path, path});
  EXPECT_CONTAINS(error_of([&] {
                    io::check_readable({path, "mirror://" + (folder / "none"), path});
                  }),
                  "NotFound: cannot open '");
  io::register_file_system("mirror", nullptr);
  EXPECT_CONTAINS(error_of([&] { io::read_file(path); }), "Unimplemented");
}

// A path of the local disk may hold "://".
TEST(FileSystem, SchemesStandAtTheStart) {
  for (const auto& [path, scheme] :
       std::vector<std::pair<std::string, std::string>>{{"gs://b/o", "gs"},
                                                        {"https://h/p", "https"},
                                                        {"/a/b", ""},
                                                        {"a/gs://b", ""},
                                                        {"://x", ""},
                                                        {"", ""},
                                                        {"s3a+x://y", "s3a+x"}}) {
    EXPECT_EQ(io::scheme_of(path), scheme) << path;
  }
}

}  // namespace
}  // namespace systolic
