// all_reduce [BYTES [TIMES [WARM_UP]]]: milliseconds of an all-reduce of f32 between the processes
// of a run, by the exchange that a training step uses. Process 0 prints a line of JSON.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "backends/gloo/open_peers.h"
#include "systolic/cluster/this_run.h"

namespace systolic {
namespace {

double milliseconds_of(runtime::Peers& peers, std::vector<float>& values) {
  const auto start = std::chrono::steady_clock::now();
  peers.all_reduce(reinterpret_cast<std::byte*>(values.data()), static_cast<int64_t>(values.size()),
                   DType::f32, ir::OpCode::add);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

int measure(int64_t bytes, int64_t times, int64_t warm_up) {
  const auto run = cluster::this_run();
  if (run == nullptr) {
    std::cerr << "all_reduce: this process is alone; start it by systolic pod run -n 2\n";
    return 2;
  }
  const runtime::PeersPtr peers = gloo_peers::open_peers(run);
  std::vector<float> values(static_cast<size_t>(bytes) / sizeof(float), 1.f);
  std::vector<double> taken;
  for (int64_t i = 0; i < warm_up + times; ++i) {
    run->barrier("before an all-reduce", 60);
    const double milliseconds = milliseconds_of(*peers, values);
    if (i >= warm_up) taken.push_back(milliseconds);
    std::fill(values.begin(), values.end(), 1.f);
  }
  std::sort(taken.begin(), taken.end());
  if (run->place().processes.index == 0) {
    std::cout << R"({"work": "all_reduce", "bytes": )" << bytes << R"(, "processes": )"
              << run->place().processes.count << R"(, "ms_per_step": )" << taken[taken.size() / 2]
              << R"(, "ms_best": )" << taken.front() << "}" << std::endl;
  }
  return 0;
}

int64_t argument(int argc, char** argv, int number, int64_t otherwise) {
  return argc > number ? std::atoll(argv[number]) : otherwise;
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) try {
  using systolic::argument;
  const int64_t bytes = argument(argc, argv, 1, 100'000'000), times = argument(argc, argv, 2, 9);
  if (bytes < 4 || times < 1) return 2;
  return systolic::measure(bytes, times, argument(argc, argv, 3, 2));
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
