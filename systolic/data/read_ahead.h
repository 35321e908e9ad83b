// Elements that are read ahead of their use, and a saved place behind those that were used.
//
//   ReadAhead source(dataset, {}, true);     // on a thread of its own:
//   std::optional<Example> element = source.next();
//   source.done(1);                          // the program has used the first
//   ReadAhead::Place place = source.place(); // to read on from behind it, in a later run
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
    std::string iterator = {};          // behind all that was read; empty: at the start
    std::deque<Example> elements = {};  // of these, those that were not used

    void transfer(StateArchive& archive);
  };

  // Reads on from `place`. Only one that `keeps_elements` knows its place later.
  ReadAhead(const Dataset& dataset, Place place, bool keeps_elements);

  // The next element; nothing at the end.
  std::optional<Example> next();
  // As many as that, of those that next() gave first, were used. Any thread may say so.
  void done(int64_t elements);
  // Behind the elements that were used; not while next() reads.
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
