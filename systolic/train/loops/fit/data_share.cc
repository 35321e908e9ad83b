#include "systolic/train/loops/fit/data_share.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/cluster/this_run.h"
#include "systolic/data/node.h"
#include "systolic/data/transformations/sharing.h"
#include "systolic/runtime/takes_pieces.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {
namespace {

using Policy = data::AutoShardPolicy;

bool shapes_vary(const data::Dataset& dataset) {
  for (const data::TensorSpec& spec : dataset.element_spec()) {
    for (int axis = 1; axis < spec.shape.rank(); ++axis) {
      if (spec.shape[axis] < 0) return true;
    }
  }
  return false;
}

// Why processes cannot each read rows of their own; empty where they can.
std::string obstacle(const FitCall& call, bool one_place, int64_t processes, Policy policy) {
  const Compiled& compiled = call.state->compiled();
  const data::Node& last = *call.dataset.node();
  if (dynamic_cast<runtime::TakesPieces*>(default_client().get()) == nullptr ||
      !cluster::this_run())
    return "the device takes whole batches";
  if (one_place) return "what saves the run keeps one place in the data, that of process 0";
  const std::string& state = call.options.input_state;
  if (!state.empty() && feed_place(state).piece.count == 1)
    return "the run that is taken up had one place in the data";
  if (compiled.run_eagerly) return "the model runs eagerly";
  if (compiled.steps_per_execution > 1) return "several steps are one execution";
  if (policy == Policy::file && data::keeps_elements(last)) return "it keeps elements in a cache";
  const int64_t rows = data::rows_of_full_batch(last);
  if (rows < 0) return "what makes its batches does not show their size";
  if (rows % processes != 0)
    return str("a batch of ", rows, " rows does not divide over ", processes, " processes");
  return shapes_vary(call.dataset) ? "the shapes of its batches differ" : "";
}

[[noreturn]] void raise_impossible(const FitCall& call, Policy policy, const std::string& why) {
  raise<InvalidArgument>(
      {.what = str("fit: the processes cannot share the dataset as its options ask, ",
                   policy == Policy::file ? "by file" : "each with rows of its own", ": ", why),
       .hint = "leave experimental_distribute.auto_shard_policy at AutoShardPolicy::automatic, or "
               "set it to data; a TrainingCheckpoint keeps the place of each process",
       .location = call.location});
}

// A state of one of as many processes must be this one's.
void check_state(const FitCall& call, const PlaceInRun& place) {
  const FeedPiece piece = feed_place(call.options.input_state).piece;
  if (piece.count == 1 || (piece.count == place.count && piece.index == place.index)) return;
  raise<FailedPrecondition>(
      {.what = "fit: the input's state is another process's, whose rows are others",
       .got = str("that of process ", piece.index, " of ", piece.count),
       .wanted = str("that of process ", place.index, " of ", place.count),
       .hint = "save Model::input_state() in each process, as TrainingCheckpoint does",
       .location = call.location});
}

DataShare by_row(const FitCall& call, int64_t processes, const std::string& why) {
  if (feed_place(call.options.input_state).piece.count > 1) {
    raise<FailedPrecondition>(
        {.what = "fit: in the run that is taken up each process read rows of its own, which is not "
                 "possible here",
         .got = str("data by row, since ", why),
         .hint = "give fit the dataset, its options and the callbacks that it had; or begin a run "
                 "of its own with load_weights",
         .location = call.location});
  }
  return {.dataset = call.dataset,
          .line = str("fit: ", processes, " processes share the data by row, since ", why,
                      ": each reads all of it and computes its rows of every batch.")};
}

}  // namespace

DataShare share_data(const FitCall& call, bool one_place) {
  const PlaceInRun place = place_in_run();
  check_state(call, place);
  if (place.count == 1) return {.dataset = call.dataset};
  const data::Node& last = *call.dataset.node();
  const data::Sharing sharing = data::sharing_of(last, place.count);
  const bool asked = last.options().experimental_distribute.auto_shard_policy != Policy::automatic;
  if (sharing.policy == Policy::data) return by_row(call, place.count, sharing.why);
  const std::string why = obstacle(call, one_place, place.count, sharing.policy);
  if (!why.empty()) {
    if (asked) raise_impossible(call, sharing.policy, why);
    return by_row(call, place.count, why);
  }
  const int64_t rows = data::rows_of_full_batch(last) / place.count;
  const bool by_file = sharing.policy == Policy::file;
  const data::Dataset own =
      by_file ? call.dataset.auto_shard(place.count, place.index, Policy::file, call.location)
              : call.dataset;
  return {.dataset = own.rebatch(rows, {}, call.location),
          .piece = {place.count, place.index},
          .rows = rows,
          .asked = asked,
          .line = str("fit: ", place.count, " processes ",
                      by_file ? "share the data by file" : "each read the dataset for themselves",
                      ", since ", sharing.why, ": each reads its ", rows,
                      " rows of every batch, in another order than one process would.")};
}

DataShare share_by_row(const FitCall& call, const DataShare& other, const std::string& why) {
  if (other.asked) {
    const bool by_file =
        call.dataset.node()->options().experimental_distribute.auto_shard_policy == Policy::file;
    raise_impossible(call, by_file ? Policy::file : Policy::off, why);
  }
  return by_row(call, other.piece.count, why);
}

}  // namespace systolic::inline v0
