// Elements that are read ahead of their use, and a saved place after those that were used.
//
//   ReadAhead source(dataset, {}, true);     // on a thread of its own:
//   std::optional<Example> element = source.next();
//   source.done(1);                          // the program has used the first
//   ReadAhead::Place place = source.place(); // to continue after it, in a later run
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "systolic/core/example.h"
#include "systolic/data/dataset.h"
#include "systolic/data/iterator.h"
#include "systolic/data/state_archive.h"

namespace systolic::inline v0 {
namespace data {

class ReadAhead {
 public:
  struct Place {
    std::string iterator = {};          // after all that was read; empty: at the start
    std::deque<Example> elements = {};  // of these, those that were not used

    void transfer(StateArchive& archive);
  };

  // Continues from `place`. Only one that `keeps_elements` knows its place later.
  ReadAhead(const Dataset& dataset, Place place, bool keeps_elements);

  // The next element; nothing at the end.
  std::optional<Example> next();
  // The first this many of the elements that next() gave were used. Any thread may call it.
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
