// Processes of one run as threads and as forked processes, over loopback.
#include "systolic/cluster/coordination.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/cluster/coordination/caller.h"
#include "systolic/cluster/coordination/server.h"
#include "systolic/cluster/free_port.h"

namespace systolic {
namespace {

std::vector<cluster::Place> places(int count) {
  const std::string coordinator = str("127.0.0.1:", cluster::find_free_port());
  std::vector<cluster::Place> places;
  for (int i = 0; i < count; ++i) {
    places.push_back({.processes = {.count = count, .index = i}, .coordinator = coordinator});
    for (int j = 0; j < count; ++j) places.back().hosts.push_back(str("10.0.0.", j + 1));
  }
  return places;
}

cluster::JoinOptions quick() {
  return {
      .join_seconds = 20, .lost_seconds = 5, .leave_seconds = 5, .on_failure = [](const Error&) {}};
}

// Runs `body` in a thread for each process; the errors, by process.
std::vector<std::string> in_processes(const std::vector<cluster::Place>& places,
                                      const std::function<void(const cluster::Place&)>& body) {
  std::vector<std::string> errors(places.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < places.size(); ++i) {
    threads.emplace_back([&, i] { errors[i] = error_of([&] { body(places[i]); }); });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

const std::string none = "no error";

TEST(Coordination, FourMeetAgreeAndLeave) {
  const auto all = places(4);
  const auto errors = in_processes(all, [](const cluster::Place& place) {
    const auto run = cluster::join(place, quick());
    const int own = place.processes.index;
    if (own == 0) run->put("id", std::string("a\0b", 3));
    EXPECT_EQ(run->get("id", 10), std::string("a\0b", 3));
    run->put(str("of ", own), std::to_string(own));
    run->barrier("put", 10);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run->try_get(str("of ", i)), std::to_string(i));
    EXPECT_EQ(run->try_get("nothing"), std::nullopt);
    EXPECT_CONTAINS(error_of([&] { run->put("id", "c"); }),
                    "InvalidArgument: the key 'id' is there");
    EXPECT_CONTAINS(error_of([&] { run->get("nothing", 0.1); }),
                    "DeadlineExceeded: host " + std::to_string(own) +
                        " of 4: no process has put the key 'nothing' within 0.1 s");
    run->agree("the program", "same", 10);
    EXPECT_CONTAINS(
        error_of([&] { run->agree("the program", own == 2 ? "b" : "a", 10); }),
        "FailedPrecondition: worker 2 (10.0.0.3) differs from worker 0 (10.0.0.1) in the "
        "program, got b, expected a");
    for (const char* step : {"a", "b"}) {
      EXPECT_EQ(run->gather("steps", str(step, own), 10),
                (std::vector<std::string>{str(step, 0), str(step, 1), str(step, 2), str(step, 3)}));
    }
    run->barrier("end", 10);
  });
  EXPECT_EQ(errors, std::vector<std::string>(4, none));
}

TEST(Coordination, TheMissingAreNamed) {
  auto all = places(4);
  all.resize(2);
  const auto errors = in_processes(all, [](const cluster::Place& place) {
    cluster::JoinOptions options = quick();
    options.join_seconds = place.processes.index == 0 ? 1.5 : 1.0;
    cluster::join(place, options);
  });
  EXPECT_CONTAINS(errors[0],
                  "DeadlineExceeded: host 0 of 4: workers 1 (10.0.0.2), 2 (10.0.0.3) and 3 "
                  "(10.0.0.4) have not joined after 1.5 s");
  EXPECT_CONTAINS(errors[1], "workers 2 (10.0.0.3) and 3 (10.0.0.4) have not joined after 1 s");
}

TEST(Coordination, ACoordinatorThatIsNotThereIsNamed) {
  const auto all = places(2);
  cluster::JoinOptions options = quick();
  options.join_seconds = 0.5;
  EXPECT_CONTAINS(error_of([&] { cluster::join(all[1], options); }),
                  "DeadlineExceeded: host 1 of 2: worker 0 (10.0.0.1) does not answer at " +
                      all[1].coordinator + " after 0.5 s: ");
}

TEST(Coordination, WhoEndsWithoutLeavingFailsTheRun) {
  const auto all = places(3);
  std::atomic<int> told{0};
  std::unique_ptr<cluster::Coordination> lost;  // whose connection breaks while the others wait
  const auto errors = in_processes(all, [&](const cluster::Place& place) {
    cluster::JoinOptions options = quick();
    options.on_failure = [&](const Error& error) {
      EXPECT_CONTAINS(std::string(error.what()), "worker 1 (10.0.0.2) failed: its disk is full");
      ++told;
    };
    const auto run = cluster::join(place, options);
    if (place.processes.index == 1) return run->fail("its disk is full");
    run->barrier("never", 20);
  });
  EXPECT_CONTAINS(errors[0],
                  "Unavailable: host 0 of 3: worker 1 (10.0.0.2) failed: its disk is full");
  EXPECT_CONTAINS(errors[2],
                  "Unavailable: host 2 of 3: worker 1 (10.0.0.2) failed: its disk is full");
  EXPECT_GE(told, 2);
}

TEST(Coordination, AnExceptionOnItsWayIsAFailure) {
  const auto all = places(2);
  const auto errors = in_processes(all, [](const cluster::Place& place) {
    const auto run = cluster::join(place, quick());
    if (place.processes.index == 1) raise<DataLoss>({.what = "a damaged file"});
    run->barrier("never", 20);
  });
  EXPECT_CONTAINS(errors[0], "worker 1 (10.0.0.2) failed: it ended by an exception");
  EXPECT_EQ(errors[1], "DataLoss: a damaged file.");
}

TEST(Coordination, WhoIsDoneWaitsForTheOthers) {
  const auto all = places(3);
  std::atomic<bool> saved{false};
  const auto errors = in_processes(all, [&](const cluster::Place& place) {
    const auto run = cluster::join(place, quick());
    if (place.processes.index == 0) {
      EXPECT_CONTAINS(error_of([&] { run->barrier("after the last step", 20); }),
                      "has left the run");
      saved = true;
    }
    EXPECT_TRUE(run->leave(20));
    EXPECT_TRUE(saved);
    EXPECT_TRUE(run->leave(20));
  });
  EXPECT_EQ(errors, std::vector<std::string>(3, none));
}

TEST(Coordination, WhoIsNotDoneIsNotWaitedForForever) {
  const auto all = places(2);
  std::promise<void> gone;
  const auto errors = in_processes(all, [&](const cluster::Place& place) {
    const auto run = cluster::join(place, quick());
    if (place.processes.index == 1) {
      EXPECT_FALSE(run->leave(0.2));
      gone.set_value();
    } else {
      gone.get_future().wait();
      EXPECT_EQ(run->failure(), std::nullopt);
    }
  });
  EXPECT_EQ(errors, std::vector<std::string>(2, none));
}

TEST(Coordination, ANoticeStopsAllAtOneStep) {
  const auto all = places(4);
  std::array<int64_t, 4> stopped{};
  const auto errors = in_processes(all, [&](const cluster::Place& place) {
    const auto run = cluster::join(place, quick());
    const auto own = static_cast<size_t>(place.processes.index);
    for (int64_t step = 0; step < 1000; ++step) {
      if (run->stops_at(step)) {
        stopped[own] = step;
        break;
      }
      if (own == 2 && step == 5) run->give_notice("SIGTERM");
      run->barrier(str("step ", step), 10);
    }
    EXPECT_TRUE(run->leave(10));
  });
  EXPECT_EQ(errors, std::vector<std::string>(4, none));
  EXPECT_GT(stopped[0], 5);
  EXPECT_LT(stopped[0], 1000);
  for (const int64_t step : stopped) EXPECT_EQ(step, stopped[0]);
}

TEST(Coordination, TwoOfOneIndexAndWrongTokensAreRefused) {
  const auto all = places(2);
  const std::vector<cluster::Place> twice{all[0], all[1], all[1]};
  std::atomic<int> turn{0};
  std::promise<std::string> refused;  // before the run begins: afterwards nobody would answer
  const auto errors = in_processes(twice, [&](const cluster::Place& place) {
    cluster::JoinOptions options = quick();
    options.token = "secret";
    if (place.processes.index == 1 && turn++ == 0) {
      options.token = "guess";
      refused.set_value(error_of([&] { cluster::join(place, options); }));
      return;
    }
    if (place.processes.index == 1) {
      EXPECT_CONTAINS(refused.get_future().get(), "the token is not this run's");
    }
    const auto run = cluster::join(place, options);
    run->barrier("end", 10);
  });
  EXPECT_EQ(errors, std::vector<std::string>(3, none));
}

// As many processes as a large pod has, over one connection: descriptors are scarcer than memory.
TEST(Coordination, AThousandMeet) {
  constexpr int count = 1024;
  cluster::Server server("127.0.0.1:0", {.count = count, .version = "1", .lost_seconds = 300});
  cluster::Caller caller(str("127.0.0.1:", server.port()));
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      cluster::wire::Request request;
      request.set_process(i);
      request.set_wait_seconds(120);
      request.mutable_join()->set_count(count);
      request.mutable_join()->set_version("1");
      request.set_session(caller.call(request, 10).reply.session());
      request.mutable_barrier()->set_name("all");
      if (caller.call(request, 10).reply.outcome() == cluster::wire::OK) ++passed;
      request.mutable_leave();
      caller.call(request, 10);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed, count);
  EXPECT_TRUE(server.wait_until_over(10));
}

TEST(Coordination, TheLoneOneWaitsForNobody) {
  const auto run = cluster::join({});
  run->barrier("a", 1);
  run->put("k", "v");
  EXPECT_EQ(run->get("k", 1), "v");
  EXPECT_CONTAINS(error_of([&] { run->get("none", 0.05); }), "within 0.05 s");
  EXPECT_EQ(run->gather("a", "v", 1), std::vector<std::string>{"v"});
  EXPECT_FALSE(run->stops_at(3));
  run->give_notice("SIGTERM");
  EXPECT_FALSE(run->stops_at(3));
  EXPECT_TRUE(run->stops_at(4));
}

}  // namespace
}  // namespace systolic
