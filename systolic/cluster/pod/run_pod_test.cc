#include "systolic/cluster/pod/run_pod.h"

#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/test_errors.h"
#include "systolic/cluster/pod/worker.h"

namespace systolic {
namespace {

struct PodRun {
  int code = 0;
  std::string out, err;
};

PodRun pod(int processes, const std::string& script, int restarts = 0, double grace = 10) {
  std::ostringstream out, err;
  PodRun run;
  run.code = cluster::run_pod({.processes = processes,
                               .command = {"sh", "-c", script},
                               .grace_seconds = grace,
                               .restarts = restarts},
                              out, err);
  run.out = out.str();
  run.err = err.str();
  return run;
}

TEST(RunPod, EachIsToldItsPlaceAndLinesAreLabeled) {
  const PodRun run = pod(3,
                         "[ $SYSTOLIC_PROCESS_ID = 0 ] || echo $SYSTOLIC_PROCESS_ID of "
                         "$SYSTOLIC_NUM_PROCESSES; [ $SYSTOLIC_PROCESS_ID = 0 ] || echo oh >&2");
  EXPECT_EQ(run.code, 0);
  EXPECT_CONTAINS(run.out, "[1] 1 of 3\n");
  EXPECT_CONTAINS(run.out, "[2] 2 of 3\n");
  EXPECT_CONTAINS(run.err, "[2] oh\n");
}

TEST(RunPod, TheFirstFailureIsSaidAndItsCodeReturned) {
  const PodRun run = pod(3, "[ $SYSTOLIC_PROCESS_ID = 1 ] && exit 7; exit 0");
  EXPECT_EQ(run.code, 7);
  EXPECT_EQ(run.err, "worker 1 ended with exit code 7\n");
}

// Those who end since another is killed may be seen before it.
TEST(RunPod, ASignalIsWhatFailedFirst) {
  const PodRun run = pod(3,
                         "[ $SYSTOLIC_PROCESS_ID = 2 ] || exit 1; [ $SYSTOLIC_PROCESS_ID = 2 ] && "
                         "sleep 0.1 && kill -9 $$");
  EXPECT_EQ(run.code, 137);
  EXPECT_EQ(run.err, "worker 2 was ended by signal 9\n");
}

// The library ends a process that misses another one with 1.
TEST(RunPod, ACodeOfItsOwnIsWhatFailedFirst) {
  const PodRun run = pod(3,
                         "[ $SYSTOLIC_PROCESS_ID = 2 ] || exit 1; [ $SYSTOLIC_PROCESS_ID = 2 ] && "
                         "sleep 0.1 && exit 7");
  EXPECT_EQ(run.code, 7);
  EXPECT_EQ(run.err, "worker 2 ended with exit code 7\n");
}

TEST(RunPod, WhoDoesNotEndIsEnded) {
  const PodRun run = pod(2,
                         "[ $SYSTOLIC_PROCESS_ID = 1 ] && kill -9 $$; trap '' TERM; "
                         "while true; do sleep 0.1; done",
                         0, 0.2);
  EXPECT_EQ(run.code, 137);
  EXPECT_CONTAINS(run.err, "worker 1 was ended by signal 9");
}

TEST(RunPod, ARunIsStartedAgain) {
  const PodRun run = pod(2, "exit 3", 2);
  EXPECT_EQ(run.code, 3);
  EXPECT_CONTAINS(run.err, "starting all 2 processes again (1 of 2)");
  EXPECT_CONTAINS(run.err, "(2 of 2)");
}

TEST(RunPod, WhoFailsIsLeftOutDownToTheLeast) {
  std::ostringstream out, err;
  const std::string script =
      "[ $SYSTOLIC_PROCESS_ID = 1 ] && [ $SYSTOLIC_NUM_PROCESSES -gt 2 ] && kill -9 $$;"
      "[ $SYSTOLIC_PROCESS_ID = 0 ] || echo one of $SYSTOLIC_NUM_PROCESSES";
  EXPECT_EQ(
      cluster::run_pod(
          {.processes = 4, .command = {"sh", "-c", script}, .restarts = 5, .min_processes = 2}, out,
          err),
      0);
  EXPECT_CONTAINS(err.str(), "worker 1 was ended by signal 9");
  EXPECT_CONTAINS(err.str(), "starting 3 of 4 processes again (1 of 5)");
  EXPECT_CONTAINS(err.str(), "starting 2 of 4 processes again (2 of 5)");
  EXPECT_EQ(err.str().find("(3 of 5)"), std::string::npos) << err.str();
  EXPECT_CONTAINS(out.str(), "[1] one of 2\n");

  std::ostringstream least;
  EXPECT_EQ(
      cluster::run_pod(
          {.processes = 2, .command = {"sh", "-c", "exit 3"}, .restarts = 2, .min_processes = 2},
          least, least),
      3);
  EXPECT_CONTAINS(least.str(), "starting all 2 processes again (2 of 2)");
}

// As an editor's stop button does: no terminal has sent it to the workers.
TEST(RunPod, ASignalToThePodAloneReachesAll) {
  struct Case {
    const char* sent;
    int code;
  };
  for (const Case& c : {Case{"INT", 130}, Case{"TERM", 143}}) {
    const PodRun run = pod(2, str("trap 'exit 9' TERM; [ $SYSTOLIC_PROCESS_ID = 0 ] && kill -",
                                  c.sent, " $PPID; while true; do sleep 0.02; done"));
    EXPECT_EQ(run.code, c.code);
    EXPECT_EQ(run.err, "");
  }
}

TEST(RunPod, Faults) {
  std::ostringstream none;
  EXPECT_CONTAINS(error_of([&] { cluster::run_pod({.command = {"no-such-program"}}, none, none); }),
                  "NotFound: cannot start 'no-such-program': No such file");
  EXPECT_CONTAINS(
      error_of([&] { cluster::run_pod({.processes = 0, .command = {"a"}}, none, none); }),
      "a run of 0 processes, expected 1 to 1024");
  EXPECT_CONTAINS(error_of([&] { cluster::run_pod({}, none, none); }), "no program to start");
  EXPECT_CONTAINS(error_of([&] {
                    cluster::run_pod({.processes = 2, .command = {"a"}, .min_processes = 3}, none,
                                     none);
                  }),
                  "at least 3 processes (--min), expected 1 to 2, or 0");
}

TEST(LineCutter, CutsAtLineEndsAndWhereALineIsTooLong) {
  std::vector<std::string> lines;
  cluster::LineCutter cutter([&](std::string_view line) { lines.emplace_back(line); });
  cutter.add("a\nb");
  cutter.add("c\n\n");
  cutter.add(std::string(70000, 'x'));
  cutter.add("y");
  cutter.end();
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "bc", "", std::string(70000, 'x'), "y"}));
}

}  // namespace
}  // namespace systolic
