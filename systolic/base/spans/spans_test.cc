#include "systolic/base/spans/spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/spans/recording.h"
#include "systolic/base/test_allocations.h"
#include "systolic/base/threads/thread_pool.h"

namespace systolic {
namespace {

spans::WorkId work_of(const std::string& name) { return spans::id_of({.name = name}); }

const spans::RecordedThread* thread_of(const spans::Recorded& recorded, const std::string& name) {
  const auto found = std::find_if(recorded.threads.begin(), recorded.threads.end(),
                                  [&](const auto& thread) { return thread.name == name; });
  return found == recorded.threads.end() ? nullptr : &*found;
}

// The names of a thread's spans, in the order in which they ended.
std::string names(const spans::Recorded& recorded, const spans::RecordedThread& thread) {
  std::string text;
  for (const auto& span : thread.spans) {
    text += recorded.works[static_cast<size_t>(span.work)].name + (span.is_share ? "* " : " ");
  }
  return text;
}

TEST(Spans, NestedOnesAreRecordedWithTheirTimesAndNumbers) {
  spans::name_thread("tester");
  spans::Recording recording;
  {
    const spans::Span outer([] { return work_of("outer"); }, 7);
    EXPECT_EQ(spans::current_work(), work_of("outer"));
    {
      const spans::Span inner([] { return work_of("inner"); });
    }
    EXPECT_EQ(spans::current_work(), work_of("outer"));
  }
  const spans::Recorded recorded = recording.finish();
  const spans::RecordedThread* thread = thread_of(recorded, "tester");
  ASSERT_NE(thread, nullptr);
  EXPECT_EQ(names(recorded, *thread), "inner outer ");
  const auto &inner = thread->spans[0], &outer = thread->spans[1];
  EXPECT_EQ(outer.number, 7);
  EXPECT_EQ(inner.number, -1);
  EXPECT_LE(0, outer.begin_ns);
  EXPECT_LE(outer.begin_ns, inner.begin_ns);
  EXPECT_LE(inner.begin_ns, inner.end_ns);
  EXPECT_LE(inner.end_ns, outer.end_ns);
  EXPECT_LE(outer.end_ns, recorded.duration_ns);
  EXPECT_EQ(recorded.lost, 0);
}

TEST(Spans, OutsideOfARecordingNothingIsAskedOrAllocated) {
  int asked = 0;
  const auto work = [&] { return ++asked, work_of("unasked"); };
  const int64_t before = allocations();
  for (int i = 0; i < 100; ++i) const spans::Span span(work);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(spans::current_work(), spans::no_work);
}

TEST(Spans, WhatWasUnderWayAtEitherEndIsLeftOut) {
  auto first = std::make_unique<spans::Recording>();
  auto over_both = std::make_unique<spans::Span>([] { return work_of("over both"); });
  EXPECT_TRUE(first->finish().threads.empty());
  spans::Recording second;
  over_both.reset();
  {
    const spans::Span inside([] { return work_of("inside"); });
  }
  const spans::Recorded recorded = second.finish();
  ASSERT_EQ(recorded.threads.size(), 1u);
  EXPECT_EQ(names(recorded, recorded.threads[0]), "inside ");
}

TEST(Spans, WhatThereIsNoRoomForIsCounted) {
  spans::Recording recording(2 * spans::chunk_spans);
  for (size_t i = 0; i < 2 * spans::chunk_spans + 5; ++i) {
    const spans::Span span([] { return work_of("one of many"); });
  }
  const spans::Recorded recorded = recording.finish();
  EXPECT_EQ(recorded.threads[0].spans.size(), 2 * spans::chunk_spans);
  EXPECT_EQ(recorded.lost, 5);
}

TEST(Spans, OneRecordingAtATime) {
  const spans::Recording recording;
  EXPECT_THROW(spans::Recording(), FailedPrecondition);
}

TEST(Spans, EqualWorksAreOne) {
  const spans::Work work{.name = "dot", .layer = "dense", .file = "a.cc", .line = 3, .flops = 8};
  spans::Work other = work;
  other.line = 4;
  EXPECT_EQ(spans::id_of(work), spans::id_of(work));
  EXPECT_NE(spans::id_of(work), spans::id_of(other));
}

TEST(Spans, ThreadsOfThePoolHaveSharesOfTheCallersWork) {
  ThreadPool pool(3);
  spans::Recording recording;
  {
    const spans::Span span([] { return work_of("loop"); });
    // Each slot waits until all three are there, so that each thread has a part.
    std::atomic<int> there = 0;
    pool.parallel_slots(3, [&](int) {
      ++there;
      while (there < 3) std::this_thread::yield();
    });
  }
  const spans::Recorded recorded = recording.finish();
  for (const char* name : {"compute 1", "compute 2"}) {
    const spans::RecordedThread* thread = thread_of(recorded, name);
    ASSERT_NE(thread, nullptr) << name;
    EXPECT_EQ(names(recorded, *thread), "loop* ") << name;
  }
}

TEST(Spans, ThreadsMayEndAndRecordWhileRecordingsComeAndGo) {
  std::atomic<bool> ends = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!ends) {
        const spans::Span outer([] { return work_of("outer"); });
        const spans::Span inner([] { return work_of("inner"); });
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    spans::Recording recording(4 * spans::chunk_spans);
    std::thread([] { const spans::Span span([] { return work_of("short"); }); }).join();
    const spans::Recorded recorded = recording.finish();
    for (const auto& thread : recorded.threads) {
      for (const auto& span : thread.spans) {
        ASSERT_LE(0, span.begin_ns);
        ASSERT_LE(span.begin_ns, span.end_ns);
      }
    }
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace systolic
