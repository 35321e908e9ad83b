// What JSONLines writes of a run, read by another parser.
#include "systolic/train/sinks/json_lines.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "systolic/base/test_log.h"
#include "systolic/base/text.h"
#include "systolic/events/training_run.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

using nlohmann::json;

// The lines without their times.
std::vector<json> lines_of(const std::string& path) {
  std::vector<json> lines;
  for (const std::string& line : split(io::read_file(path), '\n')) {
    if (line.empty()) continue;
    lines.push_back(json::parse(line));
    EXPECT_GT(lines.back().at("time").get<double>(), 1.7e9);
    lines.back().erase("time");
    lines.back().erase("run");
  }
  return lines;
}

TEST(JSONLines, ALineForEachThingThatHappens) {
  const TemporaryFolder folder;
  const std::string path = folder / "run/log.jsonl";
  {
    TrainingRun run({.name = "a \"net\"",
                     .epochs = 1,
                     .steps = 3,
                     .batch_size = 4,
                     .sinks = {JSONLines{.filename = path, .update_freq = 2}},
                     .read_logs = [] {
                       return Logs{{"loss", 0.75}};
                     }});
    run.begin_epoch(0);
    run.end_step();
    run.end_step();
    EXPECT_EQ(lines_of(path).size(), 2u);  // readers see it while the run goes on
    run.end_step();
    run.publish(events::Recompilation{.program = "step", .reason = "'x' was f32[2]"});
    run.publish(events::Notice{{.text = "a line"}});
    run.end_epoch({{"loss", 0.5}, {"norm", std::numeric_limits<double>::infinity()}});
  }
  std::vector<json> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_GE(lines[1]["milliseconds"].get<double>(), 0);
  lines[1].erase("milliseconds");
  EXPECT_EQ(lines[0],
            json::parse(R"({"event": "run_begin", "name": "a \"net\"", "epochs": 1, "epoch": -1,
    "step": 0, "samples": 0, "steps_per_epoch": 3, "batch_size": 4, "cores": 1})"));
  EXPECT_EQ(lines[1], json::parse(R"({"event": "step_end", "epoch": 0, "step": 2, "samples": 8,
    "logs": {"loss": 0.75}})"));
  EXPECT_EQ(lines[2],
            json::parse(R"({"event": "recompilation", "epoch": 0, "step": 3, "samples": 12,
    "program": "step", "reason": "'x' was f32[2]"})"));
  EXPECT_EQ(lines[3], json::parse(R"({"event": "notice", "epoch": 0, "step": 3, "samples": 12,
    "text": "a line"})"));
  EXPECT_EQ(lines[4], json::parse(R"({"event": "epoch_end", "epoch": 0, "step": 3, "samples": 12,
    "logs": {"loss": 0.5, "norm": null}, "cut_short": false})"));
  EXPECT_EQ(lines[5]["event"], "run_end");
  EXPECT_EQ(lines[5]["interrupted"], false);
}

TEST(JSONLines, AppendsWhereItIsAsked) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  for (const bool append : {false, false, true}) {
    TrainingRun run({.sinks = {JSONLines{.filename = path, .append = append}}});
  }
  EXPECT_EQ(lines_of(path).size(), 4u);  // begin and end of the last two
}

TEST(JSONLines, AFileThatCannotBeWrittenIsOneWarning) {
  const TemporaryFolder folder;
  const CaughtLog log;
  io::write_file(folder / "file", "x");
  TrainingRun run({.sinks = {JSONLines{.filename = folder / "file/log.jsonl"}}});
  run.begin_epoch(0);
  run.end_epoch({{"loss", 0.5}});
  const std::string warnings = log.warnings();
  EXPECT_EQ(warnings.find("An event sink failed and is told nothing more"), 0u) << warnings;
  EXPECT_EQ(warnings.rfind("An event sink failed"), 0u) << warnings;  // one
}

}  // namespace
}  // namespace systolic
