#include "backends/pjrt/executable_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/pjrt/fake_plugin_test.h"

namespace systolic {
namespace {

namespace fs = std::filesystem;
using namespace pjrt;

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    setenv("SYSTOLIC_COMPILE_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override { unsetenv("SYSTOLIC_COMPILE_CACHE"); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (!fs::exists(folder_)) return found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }

  const std::string folder_ = testing::TempDir() + "executable_cache/deep";
};

TEST_F(Cache, GivesWhatWasStoredUnderTheSameKey) {
  const ExecutableCache cache(folder_);
  EXPECT_EQ(cache.find("key"), std::nullopt);
  const std::string bytes("a\0b", 3);
  cache.store("key", bytes);
  cache.store("other", "");
  EXPECT_EQ(cache.find("key"), bytes);
  EXPECT_EQ(cache.find("other"), "");
  EXPECT_EQ(cache.find("third"), std::nullopt);
  cache.store("key", "new");
  EXPECT_EQ(cache.find("key"), "new");
  EXPECT_EQ(files().size(), 2u);
  EXPECT_FALSE(ExecutableCache("").on());
}

// Every byte of an entry changed in turn, and every shorter file: never taken, never a crash.
TEST_F(Cache, TakesNoDamagedEntry) {
  const ExecutableCache cache(folder_);
  cache.store("key", "bytes of a program");
  const fs::path path = files().at(0);
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto write = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x40);
    write(changed);
    EXPECT_EQ(cache.find("key"), std::nullopt) << i;
    write(whole.substr(0, i));
    EXPECT_EQ(cache.find("key"), std::nullopt) << i;
  }
  write(whole + "x");
  EXPECT_EQ(cache.find("key"), std::nullopt);
  write(whole);
  EXPECT_TRUE(cache.find("key").has_value());
}

TEST_F(Cache, SparesTheCompilerTheSecondTime) {
  FakePlugin fake;
  const auto client = DeviceClient::create(Plugin::load(fake.path()));
  const std::string options = serialize({.replicas = 2});
  compile_cached(*client, "func.func", options);
  EXPECT_EQ(fake->program, "func.func");
  fake->program.clear();
  EXPECT_EQ(compile_cached(*client, "func.func", options)->devices().size(), 2u);
  EXPECT_EQ(fake->program, "");  // it came from the folder
  compile_cached(*client, "func.func", serialize({}));
  EXPECT_EQ(fake->program, "func.func");  // other options
  EXPECT_EQ(files().size(), 2u);
  // Another build of the plugin under the same name.
  fake->program.clear();
  fake->platform_version = "built later";
  const auto later = DeviceClient::create(Plugin::load(fake.path()));
  compile_cached(*later, "func.func", options);
  EXPECT_EQ(fake->program, "func.func");
  EXPECT_EQ(files().size(), 3u);
  // A plugin that does not load it compiles it.
  fake->program.clear();
  fake.fail_at(0);
  EXPECT_NE(compile_cached(*client, "func.func", options), nullptr);
  EXPECT_EQ(fake->failed, "PJRT_Executable_DeserializeAndLoad");
  EXPECT_EQ(fake->program, "func.func");
}

}  // namespace
}  // namespace systolic
