#include "systolic/train/loops/loop_options.h"

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"

namespace systolic::inline v0 {

void check_steps(std::string_view field, int64_t steps, SourceLocation location) {
  if (steps > 0 || steps == -1) return;
  raise<InvalidArgument>({.what = str(field, " = ", steps),
                          .wanted = "1 or more, or -1: until the dataset ends",
                          .location = location});
}

void check_end(const data::Dataset& dataset, std::string_view field, int64_t steps,
               SourceLocation location) {
  if (steps > 0 || dataset.cardinality() != data::infinite_cardinality) return;
  raise<InvalidArgument>({.what = "a dataset without an end",
                          .wanted = str(".", field, ", the batches to take of it"),
                          .hint = "leave out repeat(), or repeat(n) it",
                          .location = location});
}

void check_not_negative(std::string_view field, int64_t value, SourceLocation location) {
  if (value >= 0) return;
  raise<InvalidArgument>(
      {.what = str(field, " = ", value), .wanted = "0 or more", .location = location});
}

int verbose_here(int verbose) { return place_in_run().index == 0 ? verbose : 0; }

}  // namespace systolic::inline v0
