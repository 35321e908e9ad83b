// Every file of the corpora once: seeds, and what fuzzing has found (files that start with
// "found_").
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/targets.h"
#include "tests/source_path.h"

namespace {

std::vector<std::filesystem::path> files_of(const fuzz::Target& target) {
  const std::filesystem::path folder =
      systolic::test::source_path(std::string("tests/fuzz/corpus/") + target.name);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Replay : public testing::TestWithParam<fuzz::Target> {};

TEST_P(Replay, DoesNoHarm) {
  const auto files = files_of(GetParam());
  EXPECT_FALSE(files.empty());
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_NO_THROW(GetParam().run(bytes)) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(fuzz::targets()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
