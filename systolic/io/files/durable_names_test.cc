// Files that are written where a symbolic link leads.
#include "systolic/io/files/durable_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

TEST(DurableNames, AFileIsWrittenThroughALink) {
  const TemporaryFolder folder;
  io::make_folder(folder / "disk/deep");
  const struct {
    std::string target, link;  // what the link says, and its own name
    std::string file;          // where the bytes come to lie
  } table[] = {
      {folder / "disk/absolute", folder / "a", folder / "disk/absolute"},
      {"disk/relative", folder / "b", folder / "disk/relative"},
      {"../beside", folder / "disk/c", folder / "beside"},
      {"b", folder / "d", folder / "disk/relative"},  // a link to a link
      {"disk/not-yet", folder / "e", folder / "disk/not-yet"},
  };
  for (const auto& row : table) {
    ASSERT_EQ(::symlink(row.target.c_str(), row.link.c_str()), 0);
    for (const char* bytes : {"first", "second"}) {
      io::write_file(row.link, bytes);
      EXPECT_TRUE(std::filesystem::is_symlink(row.link)) << row.link;
      EXPECT_FALSE(std::filesystem::is_symlink(row.file)) << row.file;
      EXPECT_EQ(io::read_file(row.file), bytes) << row.link;
    }
  }
}

TEST(DurableNames, LinksThatLeadNowhereAreErrors) {
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink("b", (folder / "a").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder / "b").c_str()), 0);
  EXPECT_CONTAINS(message_of<Unavailable>([&] { io::write_file(folder / "a", "x"); }),
                  "cannot follow the link");
  ASSERT_EQ(::symlink("no/such/folder", (folder / "c").c_str()), 0);
  EXPECT_THROW(io::write_file(folder / "c", "x"), NotFound);
}

TEST(DurableNames, FoldersOfAllKindsOfPathsAreFlushed) {
  const TemporaryFolder folder;
  io::make_folder(folder / "x/y/z/");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "x/y/z"));
  for (const std::string& path : {std::string("here"), std::string("/"), std::string(),
                                  std::string("/tmp"), folder / "x/y/z/", folder / "no/such"})
    EXPECT_NO_THROW(io::sync_folder_of(path)) << path;
}

}  // namespace
}  // namespace systolic
