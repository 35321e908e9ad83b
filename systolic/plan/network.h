// What a step takes where several processes train together, each on a slice of its own, and add up
// their gradients over a network: predicted from a model of the network, not measured.
//
//   const plan::Network network = plan::parse_network("25Gbit");
//   const plan::Spread spread = plan::spread_over(network, 64, 100 << 20, 0.05);
//   spread.efficiency;  // 0.99...: of the samples a second that 64 slices by themselves would make
//
// Each process keeps its rows: the global batch grows with the processes. Gradients are added up in
// a ring (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", 2009): of G bytes each of n processes sends 2 (n-1)/n G, in 2 (n-1) messages that
// each wait for the one before. They travel in buckets while the backward pass, two thirds of a
// step's work, goes on; the last bucket begins when it ends.
#pragma once

#include <cstdint>
#include <string>

namespace systolic::inline v0 {
namespace plan {

struct Network {
  double bytes_per_second = 0;    // that one process sends and receives at the same time
  double latency_seconds = 5e-5;  // of one message
  std::string text = {};          // as it was given
};

// "25Gbit", "400Mbit", "25Gbit/20us": what a process's link carries in a second, and how long a
// message takes. InvalidArgument for another text, 0, or more than 10,000 Gbit.
Network parse_network(const std::string& text, const std::string& flag = "--network");

// The gradients' last bucket, which nothing hides: backends/peers/exchange.h has the same number.
inline constexpr int64_t last_bucket_bytes = int64_t{1} << 21;

struct Spread {
  int64_t processes = 1;
  int64_t gradient_bytes = 0;   // of one process
  double sent_bytes = 0;        // by each process in a step
  double exchange_seconds = 0;  // of the all-reduce by itself
  double hidden_seconds = 0;    // of these, while the backward pass goes on
  double step_seconds = 0;
  double efficiency = 1;  // work by itself / step
};

// `work_seconds`: of a step in one process by itself. InvalidArgument for less than one process.
Spread spread_over(const Network& network, int64_t processes, int64_t gradient_bytes,
                   double work_seconds);

}  // namespace plan
}  // namespace systolic::inline v0
