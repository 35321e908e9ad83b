#include "systolic/monitor/profile/profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/message.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/chrome_trace.h"
#include "systolic/monitor/profile/layer_costs.h"
#include "systolic/monitor/profile/op_limits.h"
#include "systolic/monitor/profile/profile_files.h"
#include "systolic/monitor/profile/profile_text.h"
#include "systolic/monitor/profile/xplane.h"

namespace systolic {
namespace {

using monitor::Cost;
using monitor::Profile;
using spans::Work;
using spans::WorkKind;

enum WorkNumber : spans::WorkId {
  step = 1,
  program,
  dot,
  chain,
  add,
  relu,
  loop,
  inner,
  threads,
  input
};

// Two steps of 100 us on one thread, by hand. In each, a program of 80 us has
//   a product of 20 us in layer a, with a share of 15 us on another thread, 2 us of it waited for;
//   a chain of 30 us, whose parts take 6 us in b (4 + 2) and 12 us in a;
//   a loop of 25 us in c, which runs an op of 10 us in d twice.
// Between them 10 us are waited for input. A core can do 1e9 operations, 1e9 bytes a second.
Profile by_hand() {
  Profile profile;
  profile.host = "here";
  profile.program = "mnist";
  profile.process = 4711;
  profile.platform = "software_tpu";
  profile.device_kind = "v3-8";
  profile.cores = 2;
  profile.peak_flops = profile.peak_bytes = 1e9;
  auto& recorded = profile.recorded;
  recorded.begin_time = 1'790'000'000;
  recorded.duration_ns = 220'000;
  recorded.works = {
      Work{},
      {.kind = WorkKind::step, .name = "step"},
      {.kind = WorkKind::program, .name = "train_step"},
      {.kind = WorkKind::op,
       .name = "dot_general f32[2,3]",
       .layer = "m/a",
       .file = "dir/a.cc",
       .line = 7,
       .flops = 8000,
       .bytes = 2000},
      {.kind = WorkKind::op, .name = "add and 1 more", .layer = "m/b"},
      {.kind = WorkKind::member,
       .name = "add",
       .layer = "m/b",
       .flops = 100,
       .bytes = 400,
       .member_of = chain},
      {.kind = WorkKind::member,
       .name = "relu",
       .layer = "m/a",
       .flops = 100,
       .bytes = 400,
       .member_of = chain},
      {.kind = WorkKind::op, .name = "while", .layer = "m/c", .flops = 1e9},
      {.kind = WorkKind::op, .name = "tanh", .layer = "m/d", .flops = 1000, .bytes = 4000},
      {.kind = WorkKind::wait, .name = "wait for the other threads"},
      {.kind = WorkKind::wait, .name = "wait for input"}};
  spans::RecordedThread main{.id = 1, .name = "main"}, other{.id = 2, .name = "compute 1"};
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t at = i * 110'000;
    const auto span = [&](int64_t begin, int64_t end, spans::WorkId work, int64_t number = -1) {
      return spans::RecordedSpan{at + begin, at + end, work, false, number};
    };
    other.spans.push_back({at + 11'000, at + 26'000, dot, true, -1});
    other.spans.push_back(span(32'000, 34'000, add));
    other.spans.push_back(span(34'000, 46'000, relu));
    main.spans.push_back(span(24'000, 26'000, threads));
    main.spans.push_back(span(10'000, 30'000, dot));
    main.spans.push_back(span(31'000, 35'000, add));
    main.spans.push_back(span(30'000, 60'000, chain));
    main.spans.push_back(span(61'000, 71'000, inner));
    main.spans.push_back(span(72'000, 82'000, inner));
    main.spans.push_back(span(60'000, 85'000, loop));
    main.spans.push_back(span(10'000, 90'000, program, -1));
    main.spans.push_back(span(0, 100'000, step, i + 10));
    main.spans.push_back(span(100'000, 110'000, input));
  }
  recorded.threads = {main, other};
  return profile;
}

TEST(LayerCosts, AreTheTimesOfItsOpsWithoutThoseWithin) {
  struct Expected {
    const char* layer;
    double us, flops, bytes, roofline_us;
  };
  // Both steps together. Layer a: 2 * (20 + 30 * 12 / 18) us; its roofline: 8000 and 400 at 2 GHz.
  const std::vector<Expected> expected = {{"m/a", 80, 16'200, 4'800, 8.4},
                                          {"m/d", 40, 4'000, 16'000, 8},
                                          {"m/b", 20, 200, 800, 0.4},
                                          {"m/c", 10, 0, 0, 0}};
  const std::vector<Cost> costs = monitor::layer_costs(by_hand());
  ASSERT_EQ(costs.size(), expected.size());
  for (size_t i = 0; i < costs.size(); ++i) {
    EXPECT_EQ(costs[i].layer, expected[i].layer);
    EXPECT_NEAR(costs[i].seconds * 1e6, expected[i].us, 1e-6) << costs[i].layer;
    EXPECT_NEAR(costs[i].flops, expected[i].flops, 1e-6) << costs[i].layer;
    EXPECT_NEAR(costs[i].bytes, expected[i].bytes, 1e-6) << costs[i].layer;
    EXPECT_NEAR(costs[i].roofline_seconds * 1e6, expected[i].roofline_us, 1e-6) << costs[i].layer;
  }
  EXPECT_EQ(costs[0].line, 7);  // of its costliest op
  EXPECT_EQ(monitor::op_costs(by_hand()).size(), 5u);
}

TEST(TimeUse, IsOfTheThreadThatRunsSteps) {
  const monitor::TimeUse use = monitor::time_use(by_hand());
  EXPECT_EQ(use.steps, 2);
  EXPECT_NEAR(use.programs * 1e6, 160, 1e-6);
  EXPECT_NEAR(use.waits_for_input * 1e6, 20, 1e-6);
  EXPECT_NEAR(use.waits_for_threads * 1e6, 4, 1e-6);
  EXPECT_NEAR(use.compute_threads * 1e6, 30, 1e-6);
}

TEST(ProfileText, NamesLayersSharesAndWaits) {
  const std::vector<std::string> lines = monitor::profile_text(by_hand());
  EXPECT_EQ(lines[0],
            "mnist, process 4711, on software_tpu v3-8 with 2 cores: 0.000 s, 2 steps of 0.110 ms");
  EXPECT_EQ(lines[1],
            "the device computes in 72.7 % of the time, waits for input in 9.1 %, for the program "
            "in 18.2 %; in 2.5 % of its own it waits for its slowest thread");
  EXPECT_EQ(lines[3],
            "   share        a step     flops     bytes   flops/s   bytes/s  roofline  bound by  "
            "layer");
  EXPECT_EQ(lines[4],
            "  53.3 %      0.040 ms    8.10 k    2.40 k     203 M    60.0 M    10.5 %  compute   "
            "m/a at a.cc:7");
  EXPECT_EQ(
      lines[7],
      "   6.7 %      0.005 ms         -         -         -         -         -  -         m/c");
  Profile nothing;
  nothing.recorded.works.emplace_back();
  EXPECT_EQ(monitor::profile_text(nothing).back(), "of the device's own work nothing was recorded");
}

// Both steps together: the product takes 40 us, of which 4 us are waited; its shares take 30 us.
TEST(OpLimits, AreOfTheProcessorAndItsThreads) {
  const monitor::ProcessorLimits limits{.flops = 1e9, .bytes = 2e9};
  const std::vector<monitor::LimitedOp> below = monitor::ops_below(by_hand(), limits, 0.5);
  ASSERT_EQ(below.size(), 4u);
  EXPECT_EQ(below[0].op, "dot_general f32[2,3]");
  EXPECT_EQ(below[0].runs, 2);
  EXPECT_NEAR(below[0].seconds * 1e6, 40, 1e-6);
  EXPECT_NEAR(below[0].limit_seconds * 1e6, 16, 1e-6);
  EXPECT_NEAR(below[0].share(), 0.4, 1e-9);
  EXPECT_NEAR(below[0].threads_busy, (40.0 - 4 + 30) / 40 / 2, 1e-9);
  EXPECT_EQ(below[0].why, "its kernel multiplies more slowly");
  const std::vector<std::pair<std::string, std::string>> reasons = {
      {"tanh", "keeps its threads busy for 50.0 % of its time"},
      {"relu", "has too little to do: its start takes longer"},
      {"add", "has too little to do: its start takes longer"}};
  for (const auto& [op, why] : reasons) {
    const auto found = std::find_if(below.begin(), below.end(),
                                    [&](const monitor::LimitedOp& each) { return each.op == op; });
    ASSERT_NE(found, below.end()) << op;
    EXPECT_EQ(found->why, why) << op;
  }
  EXPECT_EQ(monitor::ops_below(by_hand(), limits, 0.3).size(), 3u);  // without the product
}

TEST(OpLimits, WhyIsSaidByThreadsAndByTheOp) {
  struct Row {
    const char* op;
    int64_t share_ns;  // of the other thread, in 40 us
    const char* why;
  };
  for (const Row& row :
       {Row{"gather f32[9]", 40'000, "takes rows from anywhere in memory"},
        Row{"fused(add tanh) f32[9]", 40'000,
            "has functions of many operations, each of which counts as one"},
        Row{"reduce of f32[9]", 40'000, "adds in an order that is fixed"},
        Row{"convolution 1x2 * 3x3", 40'000, "its kernel reads and writes more slowly"},
        Row{"convolution 1x2 * 3x3", 0, "keeps its threads busy for 50.0 % of its time"}}) {
    Profile profile;
    profile.recorded.works = {
        Work{}, {.kind = WorkKind::op, .name = row.op, .flops = 100, .bytes = 20'000}};
    profile.recorded.threads = {{.id = 1, .spans = {{0, 40'000, 1, false, -1}}},
                                {.id = 2, .spans = {{0, row.share_ns, 1, true, -1}}}};
    const auto below = monitor::ops_below(profile, {.flops = 1e9, .bytes = 2e9}, 0.5);
    ASSERT_EQ(below.size(), 1u) << row.op;
    EXPECT_EQ(below[0].why, row.why) << row.op;
  }
}

TEST(OpLimits, ByKindAndInWords) {
  const monitor::ProcessorLimits limits{.flops = 1e9, .bytes = 2e9};
  const auto kinds = monitor::kind_limits(by_hand(), limits);
  ASSERT_EQ(kinds.size(), 4u);
  EXPECT_EQ(kinds[0].op, "dot_general");
  const std::vector<std::string> lines = monitor::limits_text(by_hand(), limits, 0.5);
  EXPECT_EQ(lines[0], "against 1.0 GFLOP/s and 2.0 GB/s of all threads");
  EXPECT_NE(lines.back().find("in m/b: has too little to do"), std::string::npos) << lines.back();
}

TEST(NestedSpans, KnowWhatIsAroundThem) {
  const Profile profile = by_hand();
  const auto nested = monitor::nested_spans(profile.recorded.threads[0]);
  ASSERT_EQ(nested.size(), 20u);
  EXPECT_EQ(nested[0].parent, -1);  // step
  EXPECT_EQ(nested[1].parent, 0);   // program
  EXPECT_EQ(nested[2].parent, 1);   // dot
  EXPECT_EQ(nested[3].parent, 2);   // wait
  EXPECT_EQ(nested[9].parent, -1);  // input
}

void expect_same(const Profile& a, const Profile& b) {
  EXPECT_EQ(a.host, b.host);
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.process, b.process);
  EXPECT_EQ(a.platform, b.platform);
  EXPECT_EQ(a.device_kind, b.device_kind);
  EXPECT_EQ(a.cores, b.cores);
  EXPECT_EQ(a.peak_flops, b.peak_flops);
  EXPECT_EQ(a.recorded.begin_time, b.recorded.begin_time);
  EXPECT_EQ(a.recorded.duration_ns, b.recorded.duration_ns);
  ASSERT_EQ(a.recorded.works.size(), b.recorded.works.size());
  for (size_t i = 0; i < a.recorded.works.size(); ++i) {
    EXPECT_TRUE(a.recorded.works[i] == b.recorded.works[i]) << a.recorded.works[i].name;
  }
  ASSERT_EQ(a.recorded.threads.size(), b.recorded.threads.size());
  for (size_t i = 0; i < a.recorded.threads.size(); ++i) {
    const auto &from = a.recorded.threads[i], &to = b.recorded.threads[i];
    EXPECT_EQ(from.name, to.name);
    EXPECT_EQ(from.id, to.id);
    ASSERT_EQ(from.spans.size(), to.spans.size());
    for (size_t k = 0; k < from.spans.size(); ++k) {
      EXPECT_EQ(from.spans[k].begin_ns, to.spans[k].begin_ns);
      EXPECT_EQ(from.spans[k].end_ns, to.spans[k].end_ns);
      EXPECT_EQ(from.spans[k].work, to.spans[k].work);
      EXPECT_EQ(from.spans[k].is_share, to.spans[k].is_share);
      EXPECT_EQ(from.spans[k].number, to.spans[k].number);
    }
  }
}

TEST(XPlane, IsReadAsItWasWritten) {
  expect_same(by_hand(), monitor::from_xplane(monitor::to_xplane(by_hand())));
}

TEST(XPlane, DamagedOnesAreErrors) {
  const std::string good = monitor::to_xplane(by_hand());
  EXPECT_THROW(monitor::from_xplane(""), DataLoss);
  EXPECT_THROW(monitor::from_xplane("no profile"), DataLoss);
  int read = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    for (const std::string& bad : {good.substr(0, i), [&] {
                                     std::string changed = good;
                                     changed[i] = static_cast<char>(changed[i] ^ 0x55);
                                     return changed;
                                   }()}) {
      try {
        const Profile profile = monitor::from_xplane(bad);
        monitor::profile_text(profile);
        ++read;
      } catch (const DataLoss&) {
      }
    }
  }
  EXPECT_GT(read, 0);  // those in texts and numbers
}

TEST(XPlane, TextsThatATerminalObeysAreMadePlain) {
  Profile profile = by_hand();
  profile.recorded.works[dot].layer = "a\x1b[2Jb";
  EXPECT_EQ(monitor::from_xplane(monitor::to_xplane(profile)).recorded.works[dot].layer, "a [2Jb");
}

TEST(ChromeTrace, HasTheCoresAndTheThreads) {
  std::ostringstream out;
  monitor::write_chrome_trace(by_hand(), out);
  const std::string text = out.str();
  const auto count = [&](std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("\"ph\":\"X\""), 26u + 2 * (1 + 1 + 5));
  EXPECT_EQ(count("\"name\":\"cores 0 to 1, together\""), 1u);
  EXPECT_EQ(count("\"name\":\"compute 1\""), 1u);
  EXPECT_EQ(count("\"name\":\"step 11\""), 2u);  // of the cores, and of the thread
  EXPECT_EQ(
      count(
          R"("ts":10,"dur":20,"args":{"layer":"m/a","source":"dir/a.cc:7","flops":8000,"bytes":2000}})"),
      2u);
}

TEST(ProfileFiles, LieWhereTensorBoardLooks) {
  const std::string folder = testing::TempDir() + str("profile_files_", getpid());
  const monitor::ProfileFiles files = monitor::write_profile(by_hand(), folder);
  EXPECT_TRUE(files.xplane.starts_with(folder + "/plugins/profile/2026_09_2"));
  EXPECT_TRUE(files.xplane.ends_with("/here.xplane.pb"));
  expect_same(by_hand(), monitor::read_profile(folder));
  expect_same(by_hand(), monitor::read_profile(files.xplane));
  EXPECT_THROW(monitor::read_profile(files.trace), InvalidArgument);
  EXPECT_THROW(monitor::read_profile(folder + "/nowhere"), NotFound);
  // Files of other kinds, a JSON among them, are told what would be one.
  for (const char* text : {"", "{\"name\": 7}", "hello", "[1, 2]"}) {
    const std::string other = folder + "/other.json";
    std::ofstream(other) << text;
    const std::string said = error_of([&] { monitor::read_profile(other); });
    EXPECT_CONTAINS(said, "DataLoss: '" + other + "' is no profile that can be read");
    EXPECT_CONTAINS(said, "systolic profile PID --seconds 3");
  }
  EXPECT_THROW(monitor::write_profile(by_hand(), files.trace), Unavailable);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace systolic
