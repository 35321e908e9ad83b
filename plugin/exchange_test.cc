// Processes of a run as threads, over loopback.
#include "plugin/exchange.h"

#include <gtest/gtest.h>

#include "plugin/processes/test_processes.h"

namespace systolic {
namespace {

using namespace plugin;

const std::vector<TestProcess> two = {{.devices = 1}, {.devices = 2}};
const std::vector<std::string> none = {"no error", "no error"};

#ifdef SYSTOLIC_PJRT_PEERS  // a build with Gloo
// The group of both, and the span of a program over their three devices in this order.
struct Both {
  explicit Both(const std::shared_ptr<ProcessGroups>& groups,
                std::vector<int64_t> devices = {0, 1, 2})
      : client("v3-8", groups, std::chrono::seconds(20)),
        group(groups->among({0, 1})),
        span(client, devices) {}
  Client client;
  std::shared_ptr<ProcessGroup> group;
  Span span;
};

Literal row(float x, float y) { return Literal::from(std::vector<float>{x, y}, Shape{2}); }

TEST(PluginProcesses, HaveDevicesOfAll) {
  const auto errors = in_processes(two, [](int process, const auto& groups) {
    EXPECT_EQ(groups->topology().cores(), 3);
    EXPECT_EQ(groups->topology().cores_of(1), (std::vector<int>{1, 2}));
    EXPECT_EQ(groups->topology().process_index(), process);
    const Both both(groups, {2, 0, 1});
    EXPECT_EQ(both.client.devices.size(), 3u);
    EXPECT_EQ(both.client.addressable_handles.size(), static_cast<size_t>(process + 1));
    EXPECT_TRUE(both.span.several());
    EXPECT_EQ(both.span.own, process == 0 ? std::vector<size_t>{1} : (std::vector<size_t>{0, 2}));
  });
  EXPECT_EQ(errors, none);
}

TEST(PluginExchange, BringsThePartsOfOtherProcesses) {
  const auto errors = in_processes(two, [](int process, const auto& groups) {
    Both both(groups, {2, 0, 1});
    Exchange exchange(*both.group, both.span, "program");
    // One that all have, one that process 1 alone has otherwise, one that only travels.
    std::vector<ExchangedArgument> arguments(3, {.part = {DType::f32, Shape{2}}});
    arguments[0].number = 7;
    arguments[1].number = process == 0 ? 7 : 8;
    exchange.agree(arguments, false);
    EXPECT_FALSE(arguments[0].travels);
    EXPECT_TRUE(arguments[1].travels);
    EXPECT_TRUE(arguments[2].travels);
    for (const size_t place : both.span.own) {
      const auto x = static_cast<float>(place);
      arguments[2].own.push_back(row(x, x * 10));
    }
    exchange.gather(arguments[2]);
    ASSERT_EQ(arguments[2].parts.size(), 3u);
    for (size_t place = 0; place < 3; ++place) {
      const auto x = static_cast<float>(place);
      EXPECT_TRUE(arguments[2].parts[place] == row(x, x * 10)) << place;
    }
    EXPECT_NE(exchange.number_of_result(0), exchange.number_of_result(1));
  });
  EXPECT_EQ(errors, none);
}

TEST(PluginExchange, OtherProgramsAndProcessesThatCannotRunEndIt) {
  const auto other = in_processes(two, [](int process, const auto& groups) {
    Both both(groups);
    std::vector<ExchangedArgument> arguments(1);
    Exchange(*both.group, both.span, process == 0 ? "one" : "another").agree(arguments, false);
  });
  EXPECT_CONTAINS(other[0], "process 1 runs another program than this one");
  EXPECT_CONTAINS(other[1], "process 0 runs another program than this one");
  const auto failed = in_processes(two, [](int process, const auto& groups) {
    Both both(groups);
    std::vector<ExchangedArgument> arguments(1);
    Exchange(*both.group, both.span, "one").agree(arguments, process == 1);
  });
  EXPECT_CONTAINS(failed[0], "process 1 cannot run a program that all run together");
  EXPECT_EQ(failed[1], "no error");
}

TEST(PluginExchange, WhoIsGoneIsFound) {
  const auto errors = in_processes(two, [](int process, const auto& groups) {
    Both both(groups);
    if (process == 1) return;  // its connection is closed
    std::vector<ExchangedArgument> arguments(1);
    Exchange(*both.group, both.span, "one").agree(arguments, false);
  });
  EXPECT_CONTAINS(errors[0], "Unavailable: all_gather between 2 processes: ");
}

#endif

TEST(PluginProcesses, WhoIsMissingOrOfAnotherKindIsNamed) {
  const auto missing = in_processes(
      {{"v3-8"}, {""}}, [](int, const auto&) {}, 0.1);
  EXPECT_CONTAINS(missing[0], "DeadlineExceeded: process 1 of 2 has not come after 0.1 s");
  const auto other = in_processes({{"v3-8"}, {"v5e-8"}}, [](int, const auto&) {});
  EXPECT_CONTAINS(other[0], "process 1 has devices of another kind, got v5e-8, expected v3-8");
  EXPECT_CONTAINS(error_of([] { KeyValues none{abi::ClientCreateArgs{}}; }),
                  "FailedPrecondition: a client of several processes without a place for keys");
}

}  // namespace
}  // namespace systolic
