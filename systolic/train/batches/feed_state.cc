#include "systolic/train/batches/feed_state.h"

#include <limits>
#include <string_view>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr std::string_view whole = "batches of fit, and what they are read from",
                           of_one_process = "batches of fit that one of several processes reads";
constexpr int64_t most_processes = 1 << 20;

// States of data that is read whole have no more than their name here.
FeedPlace transfer_place(FeedPlace place, data::StateArchive& archive) {
  std::string name(place.piece.count > 1 ? of_one_process : whole);
  archive.text(name);
  if (name == whole) return {};
  if (name != of_one_process) {
    raise<FailedPrecondition>({.what = "the input's state is none that a fit saved",
                               .got = str("'", name.substr(0, 60), "'"),
                               .hint = "give fit what Model::input_state() returned"});
  }
  archive.integer(place.piece.count, 2, most_processes);
  archive.integer(place.piece.index, 0, place.piece.count - 1);
  archive.integer(place.steps_in_epoch, 0, std::numeric_limits<int64_t>::max());
  return place;
}

}  // namespace

void FeedState::transfer(data::StateArchive& archive) {
  const FeedPlace said = transfer_place({piece, steps_in_epoch}, archive);
  piece = said.piece;
  if (piece.count > 1) archive.element(last_used);
  archive.text(sources);
  place.transfer(archive);
  archive.integer(steps_in_epoch, 0, std::numeric_limits<int64_t>::max());
  archive.integer(batch_size, 0, std::numeric_limits<int32_t>::max());
}

FeedPlace feed_place(const std::string& state) {
  if (state.empty()) return {};
  data::StateArchive archive(state);
  return transfer_place({}, archive);
}

}  // namespace systolic::inline v0
