#include "systolic/plan/network.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

TEST(PlanNetwork, IsRead) {
  const struct {
    std::string text;
    double bytes_per_second, latency_seconds;
  } rows[] = {
      {"25Gbit", 25e9 / 8, 5e-5},      {"1.5Mbit", 1.5e6 / 8, 5e-5}, {"8kbit", 1000, 5e-5},
      {"10Gbit/20us", 10e9 / 8, 2e-5}, {"10Gbit/0s", 10e9 / 8, 0},   {"1Gbit/2ms", 1e9 / 8, 2e-3},
  };
  for (const auto& row : rows) {
    const plan::Network network = plan::parse_network(row.text);
    EXPECT_NEAR(network.bytes_per_second, row.bytes_per_second, 1e-9 * row.bytes_per_second);
    EXPECT_NEAR(network.latency_seconds, row.latency_seconds, 1e-12) << row.text;
    EXPECT_EQ(network.text, row.text);
  }
  for (const std::string text :
       {"", "25", "Gbit", "0Gbit", "-1Gbit", "nanGbit", "infGbit", "99999999Gbit", "25GB", "1Gbit/",
        "1Gbit/5", "1Gbit/-1us", "1Gbit/60s", "25Gbit/1us/2us"}) {
    EXPECT_CONTAINS(message_of<InvalidArgument>([&] { plan::parse_network(text); }),
                    "--network " + text);
  }
}

// 100 MB at 1 GB/s, without latency: each of 4 processes sends 150 MB in 0.15 s.
TEST(PlanNetwork, ARingSendsEachByteTwice) {
  const plan::Network network{.bytes_per_second = 1e9, .latency_seconds = 0};
  const plan::Spread all = plan::spread_over(network, 4, 100'000'000, 0);
  EXPECT_DOUBLE_EQ(all.sent_bytes, 150e6);
  EXPECT_DOUBLE_EQ(all.exchange_seconds, 0.15);
  EXPECT_EQ(all.hidden_seconds, 0);
  EXPECT_DOUBLE_EQ(all.step_seconds, 0.15);
  // With 3 messages of 10 ms there and 3 back.
  EXPECT_DOUBLE_EQ(
      plan::spread_over({.bytes_per_second = 1e9, .latency_seconds = 0.01}, 4, 100'000'000, 0)
          .exchange_seconds,
      0.21);
}

TEST(PlanNetwork, WhatTravelsDuringTheBackwardPassCostsNothing) {
  const plan::Network network{.bytes_per_second = 1e9, .latency_seconds = 0};
  const double last = 1.5 * static_cast<double>(plan::last_bucket_bytes) / 1e9;
  // 0.2 s of backward pass: all but the last bucket is hidden.
  const plan::Spread hidden = plan::spread_over(network, 4, 100'000'000, 0.3);
  EXPECT_NEAR(hidden.hidden_seconds, 0.15 - last, 1e-12);
  EXPECT_NEAR(hidden.step_seconds, 0.3 + last, 1e-12);
  EXPECT_NEAR(hidden.efficiency, 0.3 / (0.3 + last), 1e-12);
  // 0.02 s of it: no more than that.
  const plan::Spread bound = plan::spread_over(network, 4, 100'000'000, 0.03);
  EXPECT_NEAR(bound.hidden_seconds, 0.02, 1e-12);
  EXPECT_NEAR(bound.step_seconds, 0.03 + 0.13, 1e-12);
  // Less than a bucket: nothing is.
  EXPECT_EQ(plan::spread_over(network, 4, 1'000'000, 0.3).hidden_seconds, 0);
}

TEST(PlanNetwork, OneProcessExchangesNothing) {
  const plan::Network network = plan::parse_network("1Gbit");
  const plan::Spread alone = plan::spread_over(network, 1, 100'000'000, 0.1);
  EXPECT_EQ(alone.sent_bytes, 0);
  EXPECT_EQ(alone.step_seconds, 0.1);
  EXPECT_EQ(alone.efficiency, 1);
  EXPECT_CONTAINS(message_of<InvalidArgument>([&] { plan::spread_over(network, 0, 1, 1); }),
                  "a plan for 0 processes, expected 1 or more");
}

}  // namespace
}  // namespace systolic
