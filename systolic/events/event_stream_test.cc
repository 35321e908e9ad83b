// Who is told of events: sinks in order, those that fail or are slow, the log, and nobody else.
#include "systolic/events/event_stream.h"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <stdexcept>
#include <string>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/events/every_run.h"
#include "systolic/events/training_run.h"

namespace systolic {
namespace {

// Writes down the names of events, with the steps that were done.
struct Names : EventSink {
  void handle(const events::Moment& at, const Event& event) override {
    text += str(event_name(event), at.step, " ");
  }
  std::string text;
};

struct Throws : EventSink {
  void handle(const events::Moment&, const Event&) override {
    ++calls;
    throw std::runtime_error("of the sink");
  }
  int calls = 0;
};

TEST(EventStream, EventsGoToTheStreamOfTheThreadAndTheLog) {
  const CaughtLog log;
  const auto outer = std::make_shared<Names>(), inner = std::make_shared<Names>();
  publish(events::Notice{{.text = "before"}});
  {
    EventStream stream;
    stream.add(outer);
    {
      EventStream within;
      within.add(inner);
      publish(events::Notice{{.text = "within"}});
    }
    publish(events::CheckpointWritten{.path = "x"});  // has nothing to say
  }
  EXPECT_EQ(inner->text, "notice0 ");
  EXPECT_EQ(outer->text, "checkpoint_written0 ");
  EXPECT_EQ(log.lines(), "before\nwithin\n");
}

TEST(EventStream, WhatASinkThrowsIsSaidOnceAndEndsItAlone) {
  for (const bool in_background : {false, true}) {
    const CaughtLog log;
    const auto throws = std::make_shared<Throws>();
    const auto names = std::make_shared<Names>();
    {
      EventStream stream;
      in_background ? stream.add_in_background(throws) : stream.add(throws);
      stream.add(names);
      stream.publish(events::EpochBegin{});
      stream.publish(events::StepEnd{.steps = 3});
    }
    EXPECT_EQ(throws->calls, 1);
    EXPECT_EQ(names->text, "epoch_begin0 step_end3 ");
    EXPECT_EQ(log.warnings(),
              "An event sink failed and is told nothing more; the run goes on. It said: of the "
              "sink\n");
  }
}

TEST(EventStream, ARunTellsAdviceOnceAndTheLogOnceInTheProcess) {
  const CaughtLog log;
  std::string told;
  for (int run = 0; run < 2; ++run) {
    const auto names = std::make_shared<Names>();
    EventStream stream;
    stream.add(names);
    for (int step = 0; step < 3; ++step) publish_advice(LogLevel::warning, "look at this");
    publish_advice(LogLevel::info, "and at this");
    stream.publish(events::RunBegin{});
    publish_advice(LogLevel::warning, "look at this");
    told += names->text + "| ";
  }
  EXPECT_EQ(told, "advice0 advice0 run_begin0 advice0 | advice0 advice0 run_begin0 advice0 | ");
  EXPECT_EQ(log.lines(), "look at this\nand at this\n");
}

TEST(EventStream, EveryRunHasTheSinksThatTheProcessGaveThem) {
  const CaughtLog log;
  const auto names = std::make_shared<Names>();
  static bool wanted = true;  // the function stays for the life of the process
  add_to_every_run([names]() -> EventSinkPtr { return wanted ? names : nullptr; });
  {
    EventStream stream;
    stream.publish(events::Notice{});  // no run yet
    stream.publish(events::RunBegin{});
    stream.publish(events::EpochBegin{});
  }
  static bool fails = true;
  add_to_every_run([]() -> EventSinkPtr {
    if (fails) throw std::runtime_error("no room");
    return nullptr;
  });
  EventStream().publish(events::RunBegin{});
  wanted = fails = false;
  EXPECT_EQ(names->text, "run_begin0 epoch_begin0 run_begin0 ");
  EXPECT_EQ(log.warnings(), "The run goes unwatched: no room\n");
}

// Waits in its first event.
struct Waits : EventSink {
  void handle(const events::Moment&, const Event& event) override {
    if (std::exchange(first, false)) {
      entered.count_down();
      released.wait();
    }
    steps += std::holds_alternative<events::StepEnd>(event) ? 1 : 0;
    ended = ended || std::holds_alternative<events::RunEnd>(event);
  }
  std::latch entered{1}, released{1};
  bool first = true, ended = false;
  int steps = 0;
};

TEST(EventStream, ASinkThatDoesNotKeepUpMissesStepsAndNothingElse) {
  constexpr int steps = 10000;
  const CaughtLog log;
  const auto waits = std::make_shared<Waits>();
  {
    EventStream stream;
    stream.add_in_background(waits);
    stream.publish(events::RunBegin{});
    waits->entered.wait();
    for (int i = 0; i < steps; ++i) stream.publish(events::StepEnd{});
    stream.publish(events::RunEnd{});
    waits->released.count_down();
  }
  EXPECT_TRUE(waits->ended);
  EXPECT_GT(waits->steps, 0);
  EXPECT_LT(waits->steps, steps);
  EXPECT_CONTAINS(log.warnings(), str("it was not told of ", steps - waits->steps, " of them"));
}

TEST(TrainingRun, TellsOfALoopOfOnesOwn) {
  const auto names = std::make_shared<Names>();
  const auto loop = [&](bool fails) {
    TrainingRun run({.epochs = 2, .batch_size = 5, .sinks = {names}, .first_step = 7});
    run.begin_epoch(0);
    run.end_step();
    run.end_step({.steps = 2, .samples = 9, .loss = 0.5});
    if (fails) throw std::runtime_error("of the loop");
    run.end_epoch({{"loss", 0.5}});
  };
  loop(false);
  EXPECT_EQ(names->text,
            "run_begin7 epoch_begin7 step_end8 step_end10 loss_known10 epoch_end10 run_end10 ");
  names->text.clear();
  EXPECT_THROW(loop(true), std::runtime_error);
  EXPECT_CONTAINS(names->text, "loss_known10 failure10 ");
}

}  // namespace
}  // namespace systolic
