#include "systolic/nn/input_check.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

[[noreturn]] void raise_rank(const Tensor& x, int rank, std::string_view wanted) {
  const bool lacks_one = x.rank() + 1 == rank;
  raise<InvalidArgument>(
      {.what = str("input has ", x.rank(), x.rank() == 1 ? " axis " : " axes ", x.shape()),
       .wanted = std::string(wanted),
       .hint =
           lacks_one ? "expand_dims(x, 0) adds a batch axis, expand_dims(x, -1) one channel" : ""});
}

}  // namespace

void check_rank(const Tensor& x, int rank, std::string_view axes) {
  if (x.rank() != rank) raise_rank(x, rank, str(rank, ": ", axes));
}

void check_min_rank(const Tensor& x, int rank, std::string_view axes) {
  if (x.rank() < rank) raise_rank(x, rank, str("at least ", rank, ": ", axes));
}

void check_positive(std::string_view field, int64_t value) {
  if (value >= 1) return;
  raise<InvalidArgument>({.what = str(field, " is ", value), .wanted = "1 or more"});
}

void check_not_negative(std::string_view field, int64_t value) {
  if (value >= 0) return;
  raise<InvalidArgument>({.what = str(field, " is ", value), .wanted = "0 or more"});
}

int checked_axis(std::string_view field, int64_t axis, int rank) {
  const int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive >= 0 && positive < rank) return static_cast<int>(positive);
  raise<InvalidArgument>({.what = str(field, " is ", axis, " for an input of ", rank, " axes"),
                          .wanted = str("from ", -rank, " to ", rank - 1)});
}

void check_inputs(const std::vector<Tensor>& xs, size_t least) {
  if (xs.size() < least) {
    raise<InvalidArgument>({.what = str("called on ", xs.size(), " inputs"),
                            .wanted = str("at least ", least),
                            .hint = "give it a list: Add{}({a, b})"});
  }
  for (const Tensor& x : xs) {
    if (x.dtype() == xs[0].dtype()) continue;
    raise<InvalidArgument>({.what = str("inputs have types ", xs[0].dtype(), " and ", x.dtype()),
                            .wanted = "one type",
                            .hint = "cast one of them"});
  }
}

}  // namespace systolic::inline v0
