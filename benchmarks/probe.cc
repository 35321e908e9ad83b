// How fast the machine multiplies and adds right now, on all of its processors: the yardstick of
// ./run bench. Prints {"gflops": N}.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int lanes = 96;  // independent sums: enough to hide the latency of a multiply-add
constexpr int64_t turns = 20'000'000;

// 2 * lanes * turns operations on registers.
float multiply_add(float start) {
  float sums[lanes];
  for (int lane = 0; lane < lanes; ++lane) sums[lane] = start + static_cast<float>(lane);
  for (int64_t turn = 0; turn < turns; ++turn) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] = sums[lane] * 0.999f + 1.0f;
  }
  float total = 0;
  for (float sum : sums) total += sum;
  return total;
}

double seconds_on_all(unsigned threads) {
  std::vector<float> results(threads);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&results, i] { results[i] = multiply_add(static_cast<float>(i)); });
  }
  workers.clear();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return *std::max_element(results.begin(), results.end()) > 0 ? seconds : -1;
}

}  // namespace

int main() {
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  double best = seconds_on_all(threads);
  for (int repeat = 0; repeat < 2; ++repeat) best = std::min(best, seconds_on_all(threads));
  std::printf("{\"gflops\": %.2f, \"threads\": %u}\n",
              2e-9 * lanes * static_cast<double>(turns) * threads / best, threads);
}
