#include "systolic/base/threads/thread_calibration.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/base/threads/start_thread.h"

namespace systolic::inline v0 {
namespace {

constexpr int chains = 12;  // independent multiply-adds: enough to fill two units of latency 4 to 5
constexpr int probe_length = 20'000;  // about 0.1 ms
constexpr int rounds = 6;
// Two threads on one core take 2.0 times as long, two on cores of their own 1.0 (1.3 where the
// clock drops).
constexpr double shared_core_ratio = 1.6;

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

float multiply_adds() {
  float x[chains];
  for (int i = 0; i < chains; ++i) x[i] = static_cast<float>(i);
  for (int n = 0; n < probe_length; ++n) {
    for (int i = 0; i < chains; ++i) x[i] = x[i] * 0.999f + 0.5f;
  }
  float sum = 0;
  for (float value : x) sum += value;
  return sum;
}

using Probe = CalibrationProbe;

Probe probe() {
  static std::atomic<float> sink{0};
  Probe result{.begin = seconds(CLOCK_MONOTONIC)};
  const double before = seconds(CLOCK_THREAD_CPUTIME_ID);
  sink.store(multiply_adds(), std::memory_order_relaxed);
  result.spent = seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  result.end = seconds(CLOCK_MONOTONIC);
  return result;
}

// The processor time that half of the probes stay within, if at least half of every probe ran
// beside all others; else 0.
double time_together(std::span<const Probe> probes, double alone) {
  double latest_begin = 0, earliest_end = 1e300;
  std::vector<double> spent;
  for (const Probe& p : probes) {
    latest_begin = std::max(latest_begin, p.begin);
    earliest_end = std::min(earliest_end, p.end);
    spent.push_back(p.spent);
  }
  if (spent.empty() || earliest_end - latest_begin < alone / 2) return 0;
  std::sort(spent.begin(), spent.end());
  return spent[(spent.size() - 1) / 2];
}

// The calling thread to one of the processors that its affinity mask leaves, the first being 0.
void stay_on_processor(int index) {
  cpu_set_t mask, one;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask) && index-- == 0) CPU_SET(cpu, &one);
  }
  if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof(one), &one);
}

// The processors that the affinity mask leaves, such as taskset's: hardware_concurrency() may count
// those of the whole machine.
int processors_of_this_thread() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) return CPU_COUNT(&mask);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than the mask has room for
}

struct Rounds {
  std::vector<std::vector<Probe>> probes;
  int started = 0;  // fewer threads than were asked for: nothing was measured
};

// Each on a processor of its own where there is one for each: left to themselves two new threads
// may take turns on one.
Rounds probe_together(int threads) {
  std::vector<std::vector<Probe>> result(rounds, std::vector<Probe>(static_cast<size_t>(threads)));
  const bool one_each = threads == processors_of_this_thread();
  std::atomic<int> arrived{0};
  std::atomic<bool> given_up{false};  // a thread that the others would wait for did not start
  const auto body = [&](int index) {
    if (one_each) stay_on_processor(index);
    for (int round = 0; round < rounds; ++round) {
      arrived.fetch_add(1);
      while (arrived.load() < threads * (round + 1) && !given_up) std::this_thread::yield();
      if (given_up) return;
      result[static_cast<size_t>(round)][static_cast<size_t>(index)] = probe();
    }
  };
  std::vector<std::thread> probing;
  while (static_cast<int>(probing.size()) < threads && !given_up) {
    const int index = static_cast<int>(probing.size());
    auto thread = try_start_thread([&body, index] { body(index); });
    if (thread) probing.push_back(std::move(*thread));
    given_up = !thread;
  }
  for (std::thread& thread : probing) thread.join();
  return {std::move(result), static_cast<int>(probing.size())};
}

// cpu.max holds "max 100000" or "quota period", in microseconds.
int container_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota_text, period_text;
  int64_t quota = 0, period = 0;
  if (!(file >> quota_text >> period_text) || !parse_number(quota_text, quota) ||
      !parse_number(period_text, period) || quota <= 0 || period <= 0) {
    return 1 << 20;
  }
  return static_cast<int>(std::min<int64_t>((quota + period - 1) / period, 1 << 20));
}

}  // namespace

int usable_processors() {
  const int processors = processors_of_this_thread();
  return std::max(1, std::min(processors, container_quota()));
}

bool share_cores(double alone, std::span<const std::vector<CalibrationProbe>> rounds) {
  double together = 0;
  for (const auto& probes : rounds) {
    const double time = time_together(probes, alone);
    if (time > 0 && (together == 0 || time < together)) together = time;
  }
  return together > shared_core_ratio * alone;
}

int measure_useful_threads() {
  const int processors = usable_processors();
  if (processors < 2) return 1;
  double alone = 1e300;
  for (int i = 0; i < 4; ++i) alone = std::min(alone, probe().spent);
  const Rounds rounds_together = probe_together(processors);
  // This thread computes, too.
  if (rounds_together.started < processors) return rounds_together.started + 1;
  return share_cores(alone, rounds_together.probes) ? processors / 2 : processors;
}

}  // namespace systolic::inline v0
