#include "systolic/cluster/alone.h"

#include <algorithm>
#include <chrono>

#include "systolic/base/excerpt.h"

namespace systolic::inline v0 {
namespace cluster {

void Alone::put(const std::string& key, const std::string& value) {
  const std::lock_guard lock(mutex_);
  if (!values_.emplace(key, value).second) {
    raise<InvalidArgument>({.what = str("the key '", excerpt(key, 100), "' is there")});
  }
  came_.notify_all();
}

std::string Alone::get(const std::string& key, double seconds) {
  std::unique_lock lock(mutex_);
  const auto wait = std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6));
  if (!came_.wait_for(lock, wait, [&] { return values_.count(key) > 0; })) {
    raise<DeadlineExceeded>(
        {.what = str("nobody has put the key '", excerpt(key, 100), "' within ", seconds, " s")});
  }
  return values_.at(key);
}

std::optional<std::string> Alone::try_get(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void Alone::give_notice(const std::string&) {
  const std::lock_guard lock(mutex_);
  if (stop_step_ < 0) stop_step_ = step_ + 1;
}

bool Alone::stops_at(int64_t step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  return stop_step_ >= 0 && step >= stop_step_;
}

void Alone::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  failure_ = reason;
}

std::optional<std::string> Alone::failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) return std::nullopt;
  return failure_;
}

}  // namespace cluster
}  // namespace systolic::inline v0
