#include "systolic/torch_xla/ordinals/meeting.h"

#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace torch_xla {
namespace {

std::string place_of(const Meeting::Visit& visit) {
  if (!visit.location.known()) return visit.what;
  return str(visit.what, " (", visit.location.file, ":", visit.location.line, ")");
}

std::string text_of(const std::exception_ptr& failure) {
  if (failure == nullptr) return "returned";
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return str("threw: ", error.what());
  } catch (...) {
    return "threw";
  }
}

}  // namespace

Meeting::Meeting(int ordinals)
    : ordinals_(ordinals), round_(new_round()), departures_(static_cast<size_t>(ordinals)) {}

std::shared_ptr<Meeting::Round> Meeting::new_round() const {
  auto round = std::make_shared<Round>();
  round->visits.resize(static_cast<size_t>(ordinals_));
  return round;
}

void Meeting::check_same_place(std::span<Visit* const> visits) {
  for (size_t i = 1; i < visits.size(); ++i) {
    if (visits[i]->what == visits[0]->what) continue;
    raise<FailedPrecondition>(
        {.what = str("the ordinals came to different places: ordinal 0 to ", place_of(*visits[0]),
                     ", ordinal ", i, " to ", place_of(*visits[i])),
         .hint = "every ordinal must take the same steps, with a loader of the same length: "
                 "DistributedSampler, or drop_last",
         .location = visits[i]->location});
  }
}

// Holds mutex_.
void Meeting::fail_where_one_left(Round& round) {
  if (round.come == 0 || round.done) return;
  for (size_t gone = 0; gone < departures_.size(); ++gone) {
    if (!departures_[gone].left) continue;
    for (size_t i = 0; i < round.visits.size(); ++i) {
      const Visit* waiting = round.visits[i];
      if (waiting == nullptr) continue;
      try {
        raise<FailedPrecondition>(
            {.what = str("ordinal ", i, " waits at ", place_of(*waiting), " for ordinal ", gone,
                         ", which has left: it ", departures_[gone].how),
             .hint = "every ordinal must take the same steps, with a loader of the same length: "
                     "DistributedSampler, or drop_last",
             .location = waiting->location});
      } catch (...) {
        round.failed = std::current_exception();
      }
      round.done = true;
      round_ = new_round();
      changed_.notify_all();
      return;
    }
  }
}

void Meeting::join(int ordinal, Visit visit, const Act& act) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Round> round = round_;
  round->visits[static_cast<size_t>(ordinal)] = &visit;
  ++round->come;
  if (round->come == ordinals_) {
    round_ = new_round();
    lock.unlock();
    try {
      check_same_place(round->visits);
      act(round->visits);
    } catch (...) {
      round->failed = std::current_exception();
    }
    lock.lock();
    round->done = true;
    changed_.notify_all();
  } else {
    fail_where_one_left(*round);
    changed_.wait(lock, [&] { return round->done; });
  }
  if (round->failed != nullptr) std::rethrow_exception(round->failed);
}

void Meeting::leave(int ordinal, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  departures_[static_cast<size_t>(ordinal)] = {.left = true, .how = text_of(failure)};
  if (failure != nullptr && first_failure_.first < 0) first_failure_ = {ordinal, failure};
  fail_where_one_left(*round_);
}

std::pair<int, std::exception_ptr> Meeting::first_failure() const {
  const std::lock_guard lock(mutex_);
  return first_failure_;
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
