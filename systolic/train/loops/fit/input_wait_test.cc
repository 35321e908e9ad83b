#include "systolic/train/loops/fit/input_wait.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "systolic/nn/nn.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

using runtime::CoreCounters;

CoreCounters counters(double busy, double waited, double idle) {
  return {.busy_seconds = busy, .input_wait_seconds = waited, .idle_seconds = idle};
}

// A map on one thread that is at work all the time while its reader waits for it.
data::PipelineReport slow_map() {
  return {.stages = {{.name = "map at train.cc:41", .elements = 100, .busy_seconds = 9.7},
                     {.name = "batch", .elements = 10, .busy_seconds = 0.1}},
          .seconds = 10,
          .reader_waited_seconds = 9};
}

TEST(InputWait, AddsUpTheEpochsAndLeavesOutWhatIsBetween) {
  CoreCounters now = counters(5, 1, 2);
  InputWait wait([&] { return now; });
  EXPECT_EQ(wait.share(), 0);
  wait.end(slow_map);  // was not begun
  EXPECT_EQ(wait.share(), 0);

  wait.begin();
  now = counters(7, 2, 3);  // 1 of 4 seconds
  wait.begin();
  wait.end(slow_map);
  EXPECT_DOUBLE_EQ(wait.share(), 0.25);
  now = counters(17, 22, 3);  // validation
  wait.begin();
  now = counters(21, 23, 4);  // 1 of 6
  wait.end(slow_map);
  EXPECT_DOUBLE_EQ(wait.share(), 0.2);

  wait.begin();
  now = counters(4, 1, 5);  // was reset in between: 1 of 10
  wait.end(slow_map);
  EXPECT_DOUBLE_EQ(wait.share(), 0.15);
}

TEST(InputWait, SpeaksOfTheEpochThatWaitedMostIfThatIsWorthAWord) {
  struct Row {
    double waited[3], of[3];
    const char* wanted;
  };
  const Row table[] = {
      {{0, 0.4, 0.49}, {10, 10, 10}, nullptr},      // at most 5 %
      {{0.09, 0.05, 0}, {0.1, 0.1, 0.1}, nullptr},  // less than a tenth of a second
      {{0.6, 0.2, 0.2}, {10, 10, 10}, " in 6 % of "}, {{4, 2, 7}, {10, 10, 10}, " in 70 % of "},
      {{4, 7, 2}, {10, 10, 10}, " in 70 % of "},      {{0.09, 4, 0}, {0.1, 10, 10}, " in 40 % of "},
  };
  for (const Row& row : table) {
    CoreCounters now;
    InputWait wait([&] { return now; });
    for (size_t i = 0; i < 3; ++i) {
      wait.begin();
      now.input_wait_seconds += row.waited[i];
      now.busy_seconds += row.of[i] - row.waited[i];
      wait.end(slow_map);
    }
    if (row.wanted == nullptr) {
      EXPECT_EQ(wait.line(), "");
    } else {
      EXPECT_TRUE(contains(wait.line(), row.wanted)) << wait.line();
    }
  }
}

TEST(InputWait, NamesTheStageItsShareAndTheRemedy) {
  expect_parts(input_wait_line(0.4, slow_map()),
               {"The device waited for input in 40 % of the steps' time: map at train.cc:41 limits",
                "97 %", "Remedy: map(..., {.num_parallel_calls = data::autotune})"});
  data::PipelineReport fast = slow_map();
  fast.reader_waited_seconds = 0.4;  // the transformations are ahead
  const std::string text = input_wait_line(0.4, fast);
  expect_parts(text, {"copying them to the device limits", "Remedy: ", "u8"});
  EXPECT_FALSE(contains(text, "map at")) << text;
}

data::Dataset samples(float scale) {
  Literal x = Literal::zeros(DType::f32, {8, 1024});
  float value = 0;
  for (float& each : x.mutable_data<float>()) each = scale * static_cast<float>(int(value++) % 256);
  return data::from_tensor_slices(std::pair(x, Literal::zeros(DType::f32, {8, 1})));
}

Model small_model() {
  Model model = Sequential({Input{.shape = {1024}}, Dense{.units = 1}});
  model.compile({.optimizer = SGD{.learning_rate = 0.0}, .loss = MeanSquaredError{}});
  return model;
}

// The map takes long for a reason that no processor changes.
data::Dataset slow_samples() {
  return samples(0.3f).map([](const Literal& x, const Literal& y) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return std::pair(x, y);
  });
}

TEST(InputWait, FitCountsItAndSaysOnceWhatLimits) {
  for (const int verbose : {0, 2}) {
    const CaughtLog log;
    const History history =
        small_model().fit(slow_samples().batch(1), {.epochs = 2, .verbose = verbose});
    EXPECT_GT(history.input_wait_share, 0.05);
    EXPECT_LE(history.input_wait_share, 1);
    const std::string line = "The device waited for input in ";
    const size_t at = log.lines().find(line);
    if (verbose == 0) {
      EXPECT_EQ(at, std::string::npos);
      continue;
    }
    ASSERT_NE(at, std::string::npos) << log.lines();
    expect_parts(log.lines().substr(at), {"map at ", "input_wait_test.cc", " limits", "Remedy: "});
    EXPECT_EQ(log.lines().find('\n', at), log.lines().size() - 1) << "it is the last line";
    EXPECT_EQ(log.lines().find(line, at + 1), std::string::npos) << "once";
  }
}

TEST(FitAdvice, SaysWhatIsUnwiseInThePipelineOnce) {
  const data::Dataset unwise = samples(1.0f / 255).shuffle(8, {.seed = 1}).cache().batch(8);
  const CaughtLog log;
  small_model().fit(unwise, {.verbose = 0});
  EXPECT_EQ(log.lines(), "");
  for (int i = 0; i < 2; ++i) small_model().fit(unwise, {.verbose = 2});
  for (const std::string line : {" is before cache", "though its values are bytes over 255"}) {
    const size_t at = log.lines().find(line);
    ASSERT_NE(at, std::string::npos) << line << " in " << log.lines();
    EXPECT_EQ(log.lines().find(line, at + 1), std::string::npos) << log.lines();
  }
  // fit reads ahead itself.
  EXPECT_EQ(log.lines().find("nothing is read ahead"), std::string::npos) << log.lines();
}

TEST(FitAdvice, SaysThatFilesAreTooSmall) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int i = 0; i < 20; ++i) {
    files.push_back(folder / str("x-", i, ".tfrec"));
    io::TFRecordWriter(files.back()).write("a record");
  }
  const data::Dataset batches =
      data::tfrecords(files, {}, {"train.cc", 3}).batch(4).map([](const Literal&) {
        return std::pair(Literal::filled(DType::f32, {4, 1024}, 0.3),
                         Literal::zeros(DType::f32, {4, 1}));
      });
  const CaughtLog log;
  small_model().fit(batches, {.verbose = 2});
  EXPECT_CONTAINS(log.lines(), "tfrecords at train.cc:3: the 20 files are too small, 24 B each; ");
}

TEST(FitAdvice, DoesNotReadTheDataOnceMore) {
  int reads = 0;
  const auto source = [&reads] {
    ++reads;
    return [left = 4]() mutable -> std::optional<Example> {
      if (left-- == 0) return std::nullopt;
      return Example{{"x", Literal::zeros(DType::f32, {2, 1024})},
                     {"y", Literal::zeros(DType::f32, {2, 1})}};
    };
  };
  const CaughtLog log;
  small_model().fit(data::from_generator(source), {.verbose = 2});
  EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace systolic
