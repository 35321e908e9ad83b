#include "systolic/io/files/scratch_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

TEST(ScratchFile, HoldsWhatWasWrittenAndHasNoName) {
  const TemporaryFolder folder;
  std::shared_ptr<const io::MappedFile> mapped;
  std::vector<int32_t> numbers(100'000);
  {
    io::ScratchFile file(folder / "");
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<int32_t>(i * i);
      file.write(&numbers[i], sizeof numbers[i]);
    }
    mapped = file.map();
    EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
  }
  ASSERT_EQ(mapped->bytes().size(), numbers.size() * sizeof numbers[0]);
  EXPECT_EQ(std::memcmp(mapped->bytes().data(), numbers.data(), mapped->bytes().size()), 0);
  EXPECT_TRUE(io::ScratchFile(folder / "").map()->bytes().empty());
}

TEST(ScratchFile, NeedsALocalFolder) {
  const TemporaryFolder folder;
  const std::string missing = error_of([&] { io::ScratchFile(folder / "none", {"user.cc", 3}); });
  for (const char* part : {"NotFound", "none'", "user.cc:3"})
    EXPECT_NE(missing.find(part), std::string::npos) << missing;
  const std::string remote = error_of([&] { io::ScratchFile("gs://bucket/folder"); });
  EXPECT_NE(remote.find("a folder of a local disk"), std::string::npos) << remote;
}

}  // namespace
}  // namespace systolic
