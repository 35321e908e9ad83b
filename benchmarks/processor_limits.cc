// What the processors of this machine can do at most, all together: multiplications and additions
// of f32 in registers, with AVX-512 where there is, and bytes read from memory and written to it.
// ./run bench roofline measures ops against it. Prints {"gflops": N, "gbytes": M, "threads": T}.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr int64_t turns = 10'000'000;

// 2 * lanes * turns operations on registers; so many lanes that each waits for none of the others.
template <int lanes>
[[gnu::always_inline]] inline float multiply_add(float start) {
  float sums[lanes];
  for (int lane = 0; lane < lanes; ++lane) sums[lane] = start + static_cast<float>(lane);
  for (int64_t turn = 0; turn < turns; ++turn) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] = sums[lane] * 0.999f + 1.0f;
  }
  float total = 0;
  for (float sum : sums) total += sum;
  return total;
}

constexpr int usual_lanes = 96, wide_lanes = 192;
float multiply_add_usual(float start) { return multiply_add<usual_lanes>(start); }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx512f,prefer-vector-width=512")]] float multiply_add_wide(float start) {
  return multiply_add<wide_lanes>(start);
}
bool is_wide() { return __builtin_cpu_supports("avx512f") != 0; }
#else
float multiply_add_wide(float start) { return multiply_add_usual(start); }
bool is_wide() { return false; }
#endif

// The least time of three in which all threads do it.
double seconds_on_all(unsigned threads, const std::function<void(unsigned)>& work) {
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back([&work, i] { work(i); });
    workers.clear();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (repeat == 0 || time.count() < best) best = time.count();
  }
  return best;
}

double gflops(unsigned threads) {
  std::vector<float> results(threads);
  const bool wide = is_wide();
  const double seconds = seconds_on_all(threads, [&](unsigned i) {
    const auto start = static_cast<float>(i);
    results[i] = wide ? multiply_add_wide(start) : multiply_add_usual(start);
  });
  const int lanes = wide ? wide_lanes : usual_lanes;
  return 2e-9 * lanes * static_cast<double>(turns) * threads / seconds;
}

// Each thread adds one to arrays of 128 MB, ten times: each element is read and written.
double gbytes(unsigned threads) {
  constexpr size_t elements = size_t{1} << 25;
  constexpr int passes = 10;
  std::vector<std::vector<float>> arrays(threads, std::vector<float>(elements, 1));
  const double seconds = seconds_on_all(threads, [&](unsigned i) {
    for (int pass = 0; pass < passes; ++pass) {
      for (float& value : arrays[i]) value += 1;
    }
  });
  return 1e-9 * 2 * sizeof(float) * elements * passes * threads / seconds;
}

}  // namespace

int main() {
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::printf("{\"gflops\": %.1f, \"gbytes\": %.1f, \"threads\": %u}\n", gflops(threads),
              gbytes(threads), threads);
}
