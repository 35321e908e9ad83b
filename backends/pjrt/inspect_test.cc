#include "backends/pjrt/inspect.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/pjrt/api/find_plugin.h"
#include "backends/pjrt/fake_plugin_test.h"

namespace systolic {
namespace {

// Those that PJRT_NAMES_AND_LIBRARY_PATHS names, whatever else is installed here.
std::vector<runtime::PluginReport> inspect_named(const std::string& names) {
  setenv("PJRT_NAMES_AND_LIBRARY_PATHS", names.c_str(), 1);
  setenv("SYSTOLIC_LIBTPU", "none", 1);
  std::vector<runtime::PluginReport> reports;
  for (const runtime::PluginReport& report : pjrt::inspect_plugins(20)) {
    if (report.from == "PJRT_NAMES_AND_LIBRARY_PATHS") reports.push_back(report);
  }
  unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  unsetenv("SYSTOLIC_LIBTPU");
  return reports;
}

TEST(Inspect, ReportsWhatOpensAndWhatDoesNot) {
  FakePlugin good, hangs_up, broken;
  hangs_up.fail_at(2, 5);  // PJRT_Client_Create
  broken->major = 3;
  const auto reports =
      inspect_named("one:" + good.path() + ",two:" + hangs_up.path() + ",three:" + broken.path() +
                    ",four:/nowhere.so,five:" + fake_plugin_file("pjrt_fake_without_entry") + ",x");
  ASSERT_EQ(reports.size(), 6u);
  EXPECT_EQ(reports[0].platform, "one");
  EXPECT_EQ(reports[0].version, "0.90");
  EXPECT_EQ(reports[0].stablehlo, "1.9.0");
  EXPECT_EQ(reports[0].problem, "");
  EXPECT_EQ(reports[0].devices, (std::vector<std::string>{"TPU v3: FAKE_0", "TPU v3: FAKE_1"}));
  EXPECT_EQ(reports[1].version, "0.90");
  EXPECT_TRUE(reports[1].devices.empty());
  EXPECT_NE(reports[1].problem.find("NOT_FOUND: made to fail"), std::string::npos);
  EXPECT_EQ(reports[2].version, "");
  EXPECT_NE(reports[2].problem.find("speaks PJRT 3.90"), std::string::npos) << reports[2].problem;
  EXPECT_EQ(reports[3].problem, "there is no such file");
  EXPECT_NE(reports[4].problem.find("has no GetPjrtApi"), std::string::npos);
  EXPECT_EQ(reports[5].problem, "there is no such file");  // a name without a path
}

TEST(FindPlugin, PrefersWhatVariablesName) {
  FakePlugin fake;
  setenv("SYSTOLIC_LIBTPU", fake.path().c_str(), 1);
  EXPECT_EQ(pjrt::find_libtpu(), fake.path());
  EXPECT_EQ(pjrt::find_plugins()[0].from, "SYSTOLIC_LIBTPU");
  setenv("TPU_LIBRARY_PATH", fake.path().c_str(), 1);
  EXPECT_EQ(pjrt::find_plugins()[0].from, "SYSTOLIC_LIBTPU");
  setenv("SYSTOLIC_LIBTPU", "none", 1);
  EXPECT_EQ(pjrt::find_libtpu(), "");
  EXPECT_EQ(pjrt::find_plugins()[0].from, "TPU_LIBRARY_PATH");
  unsetenv("SYSTOLIC_LIBTPU");
  unsetenv("TPU_LIBRARY_PATH");
}

}  // namespace
}  // namespace systolic
