// What each process of a run reads of a fit's data: all of it, or data of its own. Internal to
// train.
//
// By row, as one process would: each reads all and computes its rows of each batch. By file, or
// where the dataset is each process's own (AutoShardPolicy::off): each reads its part of a batch
// alone, and the rows of a batch are others than those of one process. A run that is taken up goes
// on as it was shared.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/data/dataset.h"
#include "systolic/train/batches/feed_state.h"
#include "systolic/train/loops/fit/fit_call.h"

namespace systolic::inline v0 {

struct DataShare {
  data::Dataset dataset;  // what this process reads
  FeedPiece piece = {};   // of several: each process reads its own rows
  int64_t rows = 0;       // of this process in a full batch, then
  bool asked = false;     // by the options of the dataset; else what the sources allow
  std::string line = {};  // what fit says of it; empty for a process that is alone
};

// `one_place`: a callback keeps the place in the data of one process for all. InvalidArgument where
// the dataset's options ask for what this fit cannot do; FailedPrecondition where the state that it
// goes on from (FitOptions::input_state) is another process's, or cannot be read on from so.
DataShare share_data(const FitCall& call, bool one_place);

// The share of a fit that found only at its first batch that it cannot share so; InvalidArgument
// where the options asked for it.
DataShare share_by_row(const FitCall& call, const DataShare& other, const std::string& why);

}  // namespace systolic::inline v0
