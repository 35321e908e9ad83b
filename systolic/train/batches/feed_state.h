// Where the batches of a fit stand between two steps, as bytes. Internal to train.
//
// Where each process of a run reads rows of its own, the state is that of one process: it says of
// which, and of how many. Only as many processes read on from their states.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/core/example.h"
#include "systolic/data/resumable_reader.h"
#include "systolic/data/state/state_archive.h"

namespace systolic::inline v0 {

// Whose rows a state stands in: those of all, or of one of several processes.
struct FeedPiece {
  int64_t count = 1;  // of processes that each read their own rows
  int64_t index = 0;  // the one whose state it is
};

struct FeedState {
  FeedPiece piece = {};
  data::ResumableReader::Place place = {};  // after the steps that were done
  int64_t steps_in_epoch = 0;               // that were done
  int64_t batch_size = 0;    // rows of a full one, without padding: the next may be short
  std::string sources = {};  // what is read
  // The batch that was used last, where no other may follow it while other processes still have
  // rows: copies of it pad the steps to come. Only where there are several pieces.
  Example last_used = {};

  // A state that is not one of batches is a FailedPrecondition.
  void transfer(data::StateArchive& archive);
};

// What the bytes of a state say first.
struct FeedPlace {
  FeedPiece piece = {};
  int64_t steps_in_epoch = 0;  // known only of one of several pieces
};
// No bytes are the start of data that is read whole. DataLoss where they are damaged.
FeedPlace feed_place(const std::string& state);

}  // namespace systolic::inline v0
