// Which of several workers this process is: each reads its part of the data.
//
//   const data::Worker worker = data::this_worker();
//   print(worker.index, " of ", worker.count);            // "1 of 4", said by TF_CONFIG
//   records.auto_shard(worker.count, worker.index)        // before shuffle(), whose order differs
#pragma once

#include <cstdint>
#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace data {

struct Worker {
  int64_t count = 1, index = 0;
  std::string said_by = {};  // the environment variable; empty where none does
};

// According to the environment variable that says it, the first of
//   TF_CONFIG               TensorFlow's cluster and task; a chief is worker 0, others than chief
//   and
//                           workers, such as an evaluator, are alone
//   TPU_WORKER_HOSTNAMES    the hosts of a TPU pod slice, with TPU_WORKER_ID, as Cloud TPU and GKE
//                           set them; of several slices with MEGASCALE_NUM_SLICES and _SLICE_ID
// Alone, 0 of 1, where there is none. InvalidArgument for one that makes no sense, which it names.
Worker this_worker(SourceLocation location = SourceLocation::current());

}  // namespace data
}  // namespace systolic::inline v0
