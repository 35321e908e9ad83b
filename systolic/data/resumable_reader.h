// A place in the data that can be saved while more was read than was used: it remembers the
// elements between. It has no thread; its caller may read on one of its own.
//
//   ResumableReader source(dataset, {}, true);
//   std::optional<Example> element = source.next();
//   source.done(1);                          // the program has used the first
//   ResumableReader::Place place = source.place(); // to continue after it, in a later run
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "systolic/core/example.h"
#include "systolic/data/dataset.h"
#include "systolic/data/iterator.h"
#include "systolic/data/state/state_archive.h"

namespace systolic::inline v0 {
namespace data {

class ResumableReader {
 public:
  struct Place {
    std::string iterator = {};          // after all that was read; empty: at the start
    std::deque<Example> elements = {};  // of these, those that were not used

    void transfer(StateArchive& archive);
  };

  // Continues from `place`. Only one that `keeps_elements` knows its place later.
  ResumableReader(const Dataset& dataset, Place place, bool keeps_elements);

  // The next element; nothing at the end.
  std::optional<Example> next();
  // The first `elements` of those that next() gave were used. Any thread may call it.
  void done(int64_t elements);
  // The place after the elements that were used; not while next() reads.
  Place place();
  PipelineReport report() const { return iterator_.report(); }

 private:
  std::optional<Example> read();

  Iterator iterator_;
  std::deque<Example> saved_;  // what the place still has to give
  bool ended_ = false;
  const bool keeps_elements_;

  std::mutex mutex_;           // guards what follows
  std::deque<Example> ahead_;  // read and not used, as the dataset gives them
};

}  // namespace data
}  // namespace systolic::inline v0
