#include "systolic/cluster/coordination/meeting.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

using cluster::Meeting;
namespace wire = cluster::wire;

// A meeting with a clock of its own. Each answer is kept as text, in the order of the requests.
class MeetingTest : public testing::Test {
 protected:
  void begin(int count, const std::string& token = "") {
    meeting_ = std::make_unique<Meeting>(cluster::MeetingOptions{.count = count,
                                                                 .version = "1",
                                                                 .token = token,
                                                                 .lost_seconds = 10,
                                                                 .most_value_bytes = 100});
    sessions_.assign(static_cast<size_t>(count), 0);
  }

  // The number of its answer.
  size_t send(int process, wire::Request request, double wait = 100) {
    const size_t number = answers_.size();
    answers_.emplace_back();
    request.set_process(process);
    request.set_wait_seconds(wait);
    if (!request.has_join() && process >= 0 && static_cast<size_t>(process) < sessions_.size()) {
      request.set_session(sessions_[static_cast<size_t>(process)]);
    }
    sent_.push_back(request);
    meeting_->handle(now_, request, [this, number, process](const wire::Reply& reply) {
      EXPECT_EQ(answers_[number], "") << "answered twice";
      if (reply.session() != 0) sessions_[static_cast<size_t>(process)] = reply.session();
      answers_[number] = described(reply);
    });
    return number;
  }

  static std::string described(const wire::Reply& reply) {
    std::string text = wire::Outcome_Name(reply.outcome());
    for (const std::string& part : {reply.text(), reply.value()}) {
      if (!part.empty()) text += " " + part;
    }
    for (const std::string& value : reply.values()) text += " +" + value.substr(0, 10);
    for (const int process : reply.missing()) text += str(" -", process);
    return reply.step() != 0 ? str(text, " step ", reply.step()) : text;
  }

  void join_all(int count) {
    begin(count);
    for (int i = 0; i < count; ++i) send(i, join("h" + std::to_string(i), count));
  }

  void pass(double seconds) {
    now_ += std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
    meeting_->tick(now_);
  }

  static wire::Request join(const std::string& host, int count, const std::string& token = "",
                            const std::string& version = "1") {
    wire::Request request;
    request.mutable_join()->set_host(host);
    request.mutable_join()->set_count(count);
    request.mutable_join()->set_version(version);
    request.mutable_join()->set_token(token);
    return request;
  }
  static wire::Request put(const std::string& key, const std::string& value) {
    wire::Request request;
    request.mutable_put()->set_key(key);
    request.mutable_put()->set_value(value);
    return request;
  }
  static wire::Request get(const std::string& key) {
    wire::Request request;
    request.mutable_get()->set_key(key);
    return request;
  }
  static wire::Request barrier(const std::string& name, const std::string& value = "") {
    wire::Request request;
    request.mutable_barrier()->set_name(name);
    request.mutable_barrier()->set_value(value);
    return request;
  }
  static wire::Request gather(const std::string& name, const std::string& value) {
    wire::Request request = barrier(name, value);
    request.mutable_barrier()->set_gathers(true);
    return request;
  }
  static wire::Request watch(bool knows_notice = false) {
    wire::Request request;
    request.mutable_watch()->set_knows_notice(knows_notice);
    return request;
  }
  static wire::Request ready() {
    wire::Request request;
    request.mutable_ready();
    return request;
  }
  static wire::Request leave() {
    wire::Request request;
    request.mutable_leave();
    return request;
  }
  static wire::Request step(int64_t number) {
    wire::Request request;
    request.mutable_step()->set_step(number);
    return request;
  }
  static wire::Request notice(const std::string& reason) {
    wire::Request request;
    request.mutable_notice()->set_reason(reason);
    return request;
  }
  static wire::Request failure(const std::string& reason) {
    wire::Request request;
    request.mutable_fail()->set_reason(reason);
    return request;
  }

  std::unique_ptr<Meeting> meeting_;
  Meeting::Time now_{std::chrono::seconds(1000)};
  std::vector<uint64_t> sessions_;
  std::vector<std::string> answers_;
  std::vector<wire::Request> sent_;
};

TEST_F(MeetingTest, AllJoinOrTheMissingAreNamed) {
  begin(3);
  send(0, join("h0", 3), 5);
  send(2, join("h2", 3), 5);
  EXPECT_EQ(answers_[0], "");
  pass(6);
  EXPECT_EQ(answers_[0], "NOT_YET -1");
  EXPECT_EQ(answers_[1], "NOT_YET -1");
  for (int i : {2, 0, 1}) send(i, join("h", 3), 5);  // again, in another order
  EXPECT_EQ(answers_[2] + answers_[3] + answers_[4], "OKOKOK");
}

TEST_F(MeetingTest, WhoDoesNotBelongIsRefused) {
  begin(2, "secret");
  const struct {
    int process;
    wire::Request request;
    std::string wanted;
  } cases[] = {
      {0, join("a", 2), "REFUSED the token is not this run's"},
      {0, join("a", 2, "secret", "2"), "REFUSED worker 0 runs version 2, worker 0 1"},
      {1, join("a", 4, "secret"), "REFUSED worker 1 was told of 4 processes, worker 0 of 2"},
      {2, join("a", 2, "secret"), "REFUSED there is no worker 2, only 0 to 1"},
      {-1, join("a", 2, "secret"), "REFUSED there is no worker -1, only 0 to 1"},
      {0, put("a", "b"), "REFUSED worker 0 has not joined this run"},
      {0, watch(), "REFUSED worker 0 has not joined this run"},
      {0, wire::Request(), "REFUSED worker 0 has not joined this run"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(answers_[send(one.process, one.request)], one.wanted);
  }
  send(1, join("a", 2, "secret"));
  EXPECT_EQ(answers_[send(1, join("b", 2, "secret"))],
            "REFUSED two processes say that they are worker 1: one at a, one at b");
}

TEST_F(MeetingTest, ForgedSessionsAreRefused) {
  join_all(2);
  sessions_[1] ^= 2;
  EXPECT_EQ(answers_[send(1, failure("nothing"))], "REFUSED worker 1 has not joined this run");
  EXPECT_FALSE(meeting_->failed());
}

TEST_F(MeetingTest, KeysAreWrittenOnceAndWaitedFor) {
  join_all(2);
  const size_t early = send(1, get("k"));
  EXPECT_EQ(answers_[early], "");
  EXPECT_EQ(answers_[send(0, put("k", "v"))], "OK");
  EXPECT_EQ(answers_[early], "OK v");
  EXPECT_EQ(answers_[send(1, get("k"))], "OK v");
  EXPECT_EQ(answers_[send(0, put("k", "w"))], "REFUSED the key 'k' is there");
  EXPECT_CONTAINS(answers_[send(0, put("big", std::string(100, 'x')))],
                  "REFUSED the values of all");
  const size_t late = send(1, get("none"), 2);
  pass(3);
  EXPECT_EQ(answers_[late], "NOT_YET");
}

TEST_F(MeetingTest, BarriersWaitForAllAndCompareValues) {
  join_all(3);
  const size_t a0 = send(0, barrier("a", "x")), b1 = send(1, barrier("b"), 2);
  const size_t a2 = send(2, barrier("a", "x"));
  EXPECT_EQ(answers_[send(0, barrier("a", "x"))], "REFUSED worker 0 waits at barrier 'a' already");
  pass(3);
  EXPECT_EQ(answers_[b1], "NOT_YET -0 -2");
  send(1, barrier("a", "x"));
  EXPECT_EQ(answers_[a0] + answers_[a2], "OKOK");
  for (int i = 0; i < 3; ++i) send(i, barrier("a", i == 2 ? "y" : "x"));
  EXPECT_EQ(answers_.back(), "DIFFERENT y x -2");
}

TEST_F(MeetingTest, GatheredValuesComeByProcess) {
  join_all(3);
  const size_t other = send(0, barrier("a", "z"), 1);  // a barrier of this name is no gathering
  for (const int process : {2, 0, 1}) send(process, gather("a", str("of ", process)));
  EXPECT_EQ(answers_.back(), "OK +of 0 +of 1 +of 2");
  pass(2);
  EXPECT_EQ(answers_[other], "NOT_YET -1 -2");
  const std::string half(size_t{1} << 23, 'x');
  for (const int process : {0, 1, 2}) send(process, gather("a", half));
  EXPECT_EQ(answers_.back(), "REFUSED the values are too large");
}

TEST_F(MeetingTest, AProcessIsReadyOnceItsEndWouldBeNoticed) {
  join_all(2);
  const size_t waiting = send(0, ready());
  send(1, watch());
  EXPECT_EQ(answers_[waiting], "");
  send(0, watch());
  EXPECT_EQ(answers_[waiting], "OK");
  EXPECT_EQ(answers_[send(1, ready())], "OK");
}

// Process 0 ends only then, as the others would else hear of its end alone.
TEST_F(MeetingTest, AllAreToldOfAFailureThatCanHearIt) {
  join_all(3);
  const size_t watching = send(0, watch());
  send(1, failure("its disk is full"));
  EXPECT_EQ(answers_[watching], "FAILED worker 1 (h1) failed: its disk is full");
  EXPECT_FALSE(meeting_->all_told());
  send(2, watch());
  EXPECT_TRUE(meeting_->all_told());
}

TEST_F(MeetingTest, TheSilentAndTheCutOffFailTheRun) {
  join_all(3);
  const size_t waiting = send(0, barrier("a"));
  pass(6);
  send(0, watch());
  send(1, watch());
  pass(6);
  EXPECT_EQ(answers_[waiting], "FAILED worker 2 (h2) was lost: no sign of life for 10 s");
  EXPECT_CONTAINS(answers_[send(1, get("k"))], "FAILED worker 2 (h2) was lost");

  join_all(2);
  const size_t other = send(0, watch());
  const size_t cut = send(1, watch());
  meeting_->disconnected(now_, sent_[cut]);
  EXPECT_EQ(answers_[other], "FAILED worker 1 (h1) was lost: its connection broke");
}

TEST_F(MeetingTest, ACutOffJoinMayBeTriedAgain) {
  begin(2);
  const size_t cut = send(1, join("h1", 2));
  meeting_->disconnected(now_, sent_[cut]);
  send(1, join("h1", 2));
  EXPECT_EQ(answers_[send(0, join("h0", 2))], "OK");
}

TEST_F(MeetingTest, WhoFailsSaysWhy) {
  join_all(2);
  const size_t waiting = send(0, get("k"));
  send(1, failure("no memory"));
  EXPECT_EQ(answers_[waiting], "FAILED worker 1 (h1) failed: no memory");
}

TEST_F(MeetingTest, WhoLeavesIsNotWaitedFor) {
  join_all(3);
  const size_t waiting = send(0, barrier("end"));
  send(2, leave());
  EXPECT_EQ(answers_[waiting], "REFUSED worker 2 (h2) has left the run");
  EXPECT_EQ(answers_[send(1, barrier("end"))], "REFUSED worker 2 (h2) has left the run");
  EXPECT_FALSE(meeting_->is_over());
  send(0, leave());
  send(1, leave());
  EXPECT_TRUE(meeting_->is_over());
  pass(60);
  EXPECT_FALSE(meeting_->failed());
}

TEST_F(MeetingTest, WhoLeavesWaitsForTheOthersAndItsEndFailsNobody) {
  join_all(3);
  const size_t watched = send(2, watch()), first = send(2, leave());
  EXPECT_EQ(answers_[first], "");
  meeting_->disconnected(now_, sent_[watched]);
  const size_t watching = send(0, watch());
  send(1, watch());
  EXPECT_EQ(answers_[watching], "");
  const size_t second = send(1, leave(), 5);
  meeting_->disconnected(now_, sent_[first]);  // its process went
  pass(6);
  EXPECT_EQ(answers_[second], "NOT_YET -0");
  EXPECT_EQ(answers_[watching], "");
  EXPECT_EQ(answers_[send(0, leave())], "OK");

  join_all(3);
  const size_t third = send(2, leave()), fourth = send(0, leave());
  EXPECT_EQ(answers_[send(1, leave())], "OK");
  EXPECT_EQ(answers_[third] + answers_[fourth], "OKOK");

  join_all(2);
  const size_t watches = send(0, watch()), broken = send(1, watch());
  wire::Request failing = leave();
  failing.mutable_leave()->set_failure("exit code 7");
  EXPECT_EQ(answers_[send(1, failing)], "OK");
  EXPECT_EQ(answers_[watches], "");
  meeting_->disconnected(now_, sent_[broken]);
  EXPECT_EQ(answers_[watches], "FAILED worker 1 (h1) failed: exit code 7");

  join_all(2);
  const size_t fifth = send(0, leave());
  send(1, failure("no memory"));
  EXPECT_EQ(answers_[fifth], "FAILED worker 1 (h1) failed: no memory");
}

TEST_F(MeetingTest, ANoticeStopsAllAfterTheLastStep) {
  join_all(3);
  const size_t watcher = send(0, watch());
  EXPECT_EQ(answers_[send(1, notice("SIGTERM"))], "OK");
  EXPECT_EQ(answers_[watcher], "NEWS worker 1 (h1): SIGTERM");
  EXPECT_EQ(answers_[send(2, watch())], "NEWS worker 1 (h1): SIGTERM");
  const size_t known = send(2, watch(true));
  EXPECT_EQ(answers_[known], "");
  const size_t first = send(0, step(7));
  send(1, step(8));
  EXPECT_EQ(answers_[first], "");
  send(2, leave());  // it has no step to run any more
  EXPECT_EQ(answers_[first], "OK step 9");
}

TEST_F(MeetingTest, OddWaitsEnd) {
  join_all(2);
  for (const double wait : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    const size_t number = send(0, get("k"), wait);
    pass(0.1);
    EXPECT_EQ(answers_[number], "NOT_YET");
  }
  const size_t number = send(0, get("k"), std::numeric_limits<double>::infinity());
  pass(5);
  EXPECT_EQ(answers_[number], "");
}

TEST_F(MeetingTest, OneProcessCannotFillTheService) {
  join_all(2);
  for (int i = 0; i < 64; ++i) send(0, get("k"));
  EXPECT_EQ(answers_[send(0, get("k"))], "REFUSED worker 0 has 64 requests open");
  EXPECT_EQ(answers_[send(1, put("k", "v"))], "OK");
}

}  // namespace
}  // namespace systolic
