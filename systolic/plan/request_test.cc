#include "systolic/plan/request.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

// What parse_command_line leaves of a command line.
std::vector<std::string> left_of(std::vector<std::string> words) {
  plan::request(std::nullopt);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  plan::parse_command_line(argc, argv.data());
  EXPECT_EQ(argv[static_cast<size_t>(argc)], nullptr);
  return {argv.begin(), argv.begin() + argc};
}

using Words = std::vector<std::string>;

TEST(PlanRequest, IsTakenOutOfTheCommandLine) {
  EXPECT_EQ(left_of({"train", "--epochs", "2", "--plan", "v5e:2x4", "--batches=8,128", "x",
                     "--effort", "2", "--plan-json", "plan.json"}),
            (Words{"train", "--epochs", "2", "x"}));
  ASSERT_TRUE(plan::requested().has_value());
  EXPECT_EQ(plan::requested()->topology, "v5e:2x4");
  EXPECT_EQ(plan::requested()->batches, (std::vector<int64_t>{8, 128}));
  EXPECT_EQ(plan::requested()->effort, runtime::CompileEffort::o2);
  EXPECT_EQ(plan::requested()->json_file, "plan.json");
  // Another spelling of the same slice.
  left_of({"train", "--plan=v5litepod-8"});
  EXPECT_EQ(plan::requested()->topology, "v5e:2x4");
}

TEST(PlanRequest, NamesProcessesAndTheirNetwork) {
  EXPECT_EQ(left_of({"train", "--plan", "v5e:2x4", "--processes", "64", "--network=25Gbit", "x"}),
            (Words{"train", "x"}));
  EXPECT_EQ(plan::requested()->processes, 64);
  ASSERT_TRUE(plan::requested()->network.has_value());
  EXPECT_EQ(plan::requested()->network->text, "25Gbit");
}

TEST(PlanRequest, LeavesOtherCommandLinesAlone) {
  const Words words = {"train", "--batches", "8", "--", "--plan", "v3-8"};
  EXPECT_EQ(left_of(words), words);
  EXPECT_FALSE(plan::requested().has_value());
}

TEST(PlanRequest, NamesTheFlagThatIsWrong) {
  const struct {
    Words words;
    std::string says;
  } rows[] = {
      {{"train", "--plan"}, "--plan is the last argument"},
      {{"train", "--plan", "v9-8"}, "there is no TPU 'v9-8'"},
      {{"train", "--plan", "v3-8", "--batches", "8,x"}, "--batches 8,x, got 'x'"},
      {{"train", "--plan", "v3-8", "--batches", ""}, "--batches without a number"},
      {{"train", "--plan", "v3-8", "--batches", "0"}, "--batches 0, got '0'"},
      {{"train", "--plan", "v3-8", "--effort", "9"}, "--effort 9, expected 0 (fastest) to 3"},
      {{"train", "--plan", "v3-8", "--network", "1Gbit"}, "--processes is missing"},
      {{"train", "--plan", "v3-8", "--processes", "4"}, "--network is missing"},
      {{"train", "--plan", "v3-8", "--processes", "0", "--network", "1Gbit"}, "--processes 0"},
      {{"train", "--plan", "v3-8", "--processes", "2", "--network", "fast"}, "--network fast"},
  };
  for (const auto& row : rows) {
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] { left_of(row.words); }), row.says);
  }
  plan::request(std::nullopt);
}

TEST(PlanRequest, EffortsHaveNames) {
  for (const char* name : {"0", "1", "2", "3", "default"}) {
    EXPECT_EQ(plan::to_string(plan::parse_effort(name)), name);
  }
}

}  // namespace
}  // namespace systolic
