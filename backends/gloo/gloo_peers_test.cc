// Processes of a run as threads, over loopback.
#include <gtest/gtest.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "backends/gloo/open_peers.h"
#include "backends/gloo/own_address.h"
#include "systolic/base/test_errors.h"
#include "systolic/cluster/free_port.h"

namespace systolic {
namespace {

using runtime::PeersPtr;

std::vector<std::string> in_run(
    int count, const std::function<void(int, cluster::Coordination&, PeersPtr)>& body) {
  const std::string coordinator = str("127.0.0.1:", cluster::find_free_port());
  std::vector<std::string> errors(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      errors[static_cast<size_t>(i)] = error_of([&] {
        const std::shared_ptr<cluster::Coordination> run = cluster::join(
            {.processes = {count, i}, .coordinator = coordinator},
            {.join_seconds = 20, .leave_seconds = 5, .on_failure = [](const Error&) {}});
        body(i, *run, gloo_peers::open_peers(run, 20));
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

TEST(GlooPeers, EveryCollective) {
  for (const int count : {2, 3, 4}) {
    const auto errors =
        in_run(count, [&](int own, cluster::Coordination& run, const PeersPtr& peers) {
          EXPECT_EQ(peers->processes(), (runtime::Processes{count, own}));
          std::vector<float> sums(1001);
          std::iota(sums.begin(), sums.end(), static_cast<float>(own));
          peers->all_reduce(reinterpret_cast<std::byte*>(sums.data()), 1001, DType::f32,
                            ir::OpCode::add);
          const auto n = static_cast<float>(count);
          for (size_t i = 0; i < sums.size(); ++i) {
            EXPECT_EQ(sums[i], n * static_cast<float>(i) + n * (n - 1) / 2);
          }
          std::vector<double> most{static_cast<double>(own), static_cast<double>(-own)};
          peers->all_reduce(reinterpret_cast<std::byte*>(most.data()), 2, DType::f64,
                            ir::OpCode::maximum);
          EXPECT_EQ(most, (std::vector<double>{static_cast<double>(count - 1), 0}));
          const int32_t mine[2] = {own, own * 10};
          std::vector<int32_t> all(static_cast<size_t>(2 * count));
          peers->all_gather(reinterpret_cast<const std::byte*>(mine),
                            reinterpret_cast<std::byte*>(all.data()), sizeof(mine));
          std::vector<int32_t> to(static_cast<size_t>(count)), from(to.size());
          for (int i = 0; i < count; ++i) {
            EXPECT_EQ(all[static_cast<size_t>(2 * i + 1)], i * 10);
            to[static_cast<size_t>(i)] = own * 100 + i;
          }
          peers->all_to_all(reinterpret_cast<const std::byte*>(to.data()),
                            reinterpret_cast<std::byte*>(from.data()), sizeof(int32_t));
          for (int i = 0; i < count; ++i) EXPECT_EQ(from[static_cast<size_t>(i)], i * 100 + own);
          peers->all_reduce(nullptr, 0, DType::f32, ir::OpCode::add);
          run.barrier("end", 20);
        });
    EXPECT_EQ(errors, std::vector<std::string>(static_cast<size_t>(count), "no error"));
  }
}

// What the sockets of this process have sent so far, by the kernel's count.
int64_t sent_by_sockets() {
  int64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    tcp_info info{};
    socklen_t size = sizeof info;
    const int file = std::stoi(entry.path().filename());
    if (::getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
      sum += static_cast<int64_t>(info.tcpi_bytes_sent);
    }
  }
  return sum;
}

// As many as the kernel counts, which has Gloo's headers and the run's keys besides.
TEST(GlooPeers, WhatIsSentIsCounted) {
  constexpr int64_t elements = 1 << 18, bytes = 4 * elements;
  for (const int count : {2, 3}) {
    std::atomic<int64_t> counted{0};
    int64_t of_kernel = 0;
    const auto errors =
        in_run(count, [&](int own, cluster::Coordination& run, const PeersPtr& peers) {
          EXPECT_EQ(peers->sent_bytes(), 0);
          run.barrier("begin", 20);
          if (own == 0) of_kernel = -sent_by_sockets();
          run.barrier("counted", 20);
          std::vector<float> mine(elements), all(static_cast<size_t>(count) * elements);
          const auto data = [](std::vector<float>& x) {
            return reinterpret_cast<std::byte*>(x.data());
          };
          peers->all_reduce(data(mine), elements, DType::f32, ir::OpCode::add);
          EXPECT_EQ(peers->sent_bytes(), 2 * bytes * (count - 1) / count);
          peers->all_gather(data(mine), data(all), static_cast<size_t>(bytes));
          std::vector<float> from(all.size());
          peers->all_to_all(data(all), data(from), static_cast<size_t>(bytes));
          EXPECT_EQ(peers->sent_bytes(), 2 * bytes * (count - 1) / count + 2 * bytes * (count - 1));
          counted += peers->sent_bytes();
          run.barrier("done", 20);
          if (own == 0) of_kernel += sent_by_sockets();
          run.barrier("end", 20);
        });
    EXPECT_EQ(errors, std::vector<std::string>(static_cast<size_t>(count), "no error"));
    EXPECT_LE(counted, of_kernel);
    EXPECT_LE(static_cast<double>(of_kernel), 1.01 * static_cast<double>(counted) + 65536);
  }
}

TEST(GlooPeers, ASumHasTheSameBitsOnAllProcessesAndInEveryRun) {
  std::vector<std::vector<float>> sums;
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<std::vector<float>> own(3, std::vector<float>(4097));
    in_run(3, [&](int process, cluster::Coordination& run, const PeersPtr& peers) {
      auto& x = own[static_cast<size_t>(process)];
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = 1.0f / static_cast<float>(i + 1 + 7 * static_cast<size_t>(process));
      }
      peers->all_reduce(reinterpret_cast<std::byte*>(x.data()), 4097, DType::f32, ir::OpCode::add);
      run.barrier("end", 20);
    });
    sums.insert(sums.end(), own.begin(), own.end());
  }
  for (const auto& sum : sums) EXPECT_EQ(sum, sums.front());
}

TEST(GlooPeers, WhoFailsIsNamedToThoseWhoWaitForIt) {
  const auto errors = in_run(3, [](int own, cluster::Coordination& run, const PeersPtr& peers) {
    run.barrier("all are connected", 20);
    if (own == 1) raise<DataLoss>({.what = "a damaged record"});
    float x = 0;
    peers->all_reduce(reinterpret_cast<std::byte*>(&x), 1, DType::f32, ir::OpCode::add);
  });
  for (const int other : {0, 2}) {
    EXPECT_CONTAINS(errors[static_cast<size_t>(other)],
                    "Unavailable: all_reduce between 3 processes: ");
    EXPECT_CONTAINS(errors[static_cast<size_t>(other)], "failed: it ended by an exception");
  }
}

TEST(GlooPeers, OwnAddress) {
  EXPECT_EQ(gloo_peers::own_address("127.0.0.1:80"), "127.0.0.1");
  EXPECT_CONTAINS(error_of([] { gloo_peers::own_address("nowhere.invalid:80"); }),
                  "Unavailable: the coordinator at nowhere.invalid:80 cannot be reached: ");
}

}  // namespace
}  // namespace systolic
