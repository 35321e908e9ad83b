#include "systolic/data/stage.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <new>

#include "systolic/base/error.h"
#include "systolic/base/spans/spans.h"

namespace systolic::inline v0 {
namespace data {
namespace {

thread_local int64_t inner_ns = 0;

int64_t half_of_memory() {
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages / 2 * page : int64_t{1} << 30;
}

}  // namespace

RunState::RunState(Options options, uint64_t seed)
    : options_(options),
      seed_(seed),
      memory_budget_bytes_(options.memory_budget_bytes > 0 ? options.memory_budget_bytes
                                                           : half_of_memory()),
      read_ahead_(memory_budget_bytes_ / 4) {}

size_t RunState::held_bytes() const {
  const ReadAheadBudget::Use ahead = read_ahead_.use();
  int64_t held = ahead.kept - ahead.held;
  std::lock_guard lock(mutex_);
  for (const auto& [key, counters] : counters_)
    held += counters->held_bytes.load(std::memory_order_relaxed);
  return static_cast<size_t>(std::max<int64_t>(held, 0));
}

// Half is left for pieces on their way from one stage to the next, for what the last of them took
// beyond its share, and for the ends of pages.
bool RunState::has_room_for(size_t bytes) const {
  return held_bytes() + bytes <= static_cast<size_t>(memory_budget_bytes_) / 2;
}

// Each stage may have one on its way that is not counted yet. Small where the budget is: an
// interleave keeps room for one of each input that it reads.
size_t RunState::large_chunk_bytes() const {
  constexpr int64_t least = int64_t{1} << 16, most = int64_t{1} << 20;
  return static_cast<size_t>(std::clamp(memory_budget_bytes_ / 128, least, most));
}

std::shared_ptr<StageCounters> RunState::counters(const void* key, std::string_view name) {
  std::lock_guard lock(mutex_);
  for (const auto& [known, counters] : counters_) {
    if (known == key && counters->name == name) return counters;
  }
  counters_.emplace_back(key, std::make_shared<StageCounters>(std::string(name)));
  return counters_.back().second;
}

std::vector<RunState::Counted> RunState::all_counters() const {
  std::lock_guard lock(mutex_);
  struct Team {
    int number, threads = 0;
  };
  std::map<const void*, Team> teams;
  for (const auto& [key, counters] : counters_) {
    Team& team = teams.try_emplace(key, Team{static_cast<int>(teams.size()) + 1}).first->second;
    team.threads = std::max(team.threads, counters->threads.load(std::memory_order_relaxed));
  }
  std::vector<Counted> result;
  for (const auto& [key, counters] : counters_) {
    const Team& team = teams.at(key);
    result.push_back({counters, team.threads, team.number});
  }
  return result;
}

Timer::Timer(std::atomic<int64_t>& counter)
    : counter_(counter),
      outer_ns_(std::exchange(inner_ns, 0)),
      start_(std::chrono::steady_clock::now()) {}

Timer::~Timer() {
  const int64_t ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
  counter_.fetch_add(ns - inner_ns, std::memory_order_relaxed);
  inner_ns = outer_ns_ + ns;
}

void rethrow_as_function_failed(std::string_view place) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    raise<FunctionFailed>({.what = str(place, ": the function threw: ", error.what())});
  } catch (...) {
    raise<FunctionFailed>(
        {.what = str(place, ": the function threw something that is no std::exception")});
  }
}

Chunk Stage::produce_or_fail(int64_t most) {
  try {
    return produce(most);
  } catch (...) {
    rethrow_as_function_failed(counters_->name);
  }
}

Chunk Stage::next(int64_t most) {
  if (failure_) std::rethrow_exception(failure_);
  Timer timer(counters_->busy_ns);
  const spans::Span span(
      [this] { return spans::id_of({.kind = spans::WorkKind::input, .name = counters_->name}); });
  Chunk chunk;
  try {
    chunk = produce_or_fail(std::max<int64_t>(most, 1));
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
  counters_->elements.fetch_add(static_cast<int64_t>(chunk.size()), std::memory_order_relaxed);
  counters_->bytes.fetch_add(static_cast<int64_t>(estimated_bytes(chunk)),
                             std::memory_order_relaxed);
  return chunk;
}

void Stage::transfer(StateArchive& archive) {
  archive.expect(name_in(counters_->name));
  archive.failure(failure_);
  if (!failure_) transfer_members(archive);  // otherwise nothing but the error comes any more
}

Chunk Stage::fail_after(Chunk made) {
  if (made.empty()) throw;
  try {
    rethrow_as_function_failed(counters_->name);
  } catch (...) {
    failure_ = std::current_exception();
  }
  return made;
}

void RunState::check_cancelled() const {
  if (cancelled()) raise<Cancelled>({.what = "the iterator of this dataset was closed"});
}

}  // namespace data
}  // namespace systolic::inline v0
