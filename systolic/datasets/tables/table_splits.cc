// Table::shuffle and train_test_split, with the rows that `datasets` chooses.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "systolic/base/error.h"
#include "systolic/datasets/tables/numpy_generator.h"
#include "systolic/datasets/tables/table.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Rows = std::vector<int64_t>;

struct PartSizes {
  int64_t train = 0, test = 0;
};
struct PartRows {
  Rows train, test;
};

bool is_share(double size) { return size > 0 && size < 1; }

PartSizes part_sizes(const TrainTestSplit& options, int64_t rows, SourceLocation location) {
  const auto count = static_cast<double>(rows);
  const double test =
      is_share(options.test_size) ? std::ceil(options.test_size * count) : options.test_size;
  const double train = options.train_size == 0        ? count - test
                       : is_share(options.train_size) ? std::floor(options.train_size * count)
                                                      : options.train_size;
  const bool whole = test == std::floor(test) && train == std::floor(train);
  if (whole && test >= 1 && train >= 1 && test + train <= count)
    return {static_cast<int64_t>(train), static_cast<int64_t>(test)};
  raise<InvalidArgument>({.what = str("test_size ", options.test_size, " and train_size ",
                                      options.train_size, " of a table of ", rows, " rows"),
                          .wanted = "shares between 0 and 1, or numbers of rows that it has; some "
                                    "for each part",
                          .location = location});
}

// The rows of each class, in their order.
std::vector<Rows> rows_by_class(const Column& labels, const std::string& name,
                                SourceLocation location) {
  const Literal& array = labels.array(location);
  if (!is_integer(array.dtype()) || array.rank() != 1) {
    raise<InvalidArgument>(
        {.what = str("stratify_by_column '", name, "' is ", array.dtype(), array.shape()),
         .wanted = "the numbers of classes",
         .hint = str("class_encode_column(\"", name, "\") makes them"),
         .location = location});
  }
  std::map<int64_t, Rows> classes;
  for (int64_t i = 0; i < array.size(); ++i) classes[array.integer_at(i)].push_back(i);
  std::vector<Rows> rows;
  for (auto& [label, members] : classes) rows.push_back(std::move(members));
  return rows;
}

// How many of each class are drawn: the shares, and what is left over to the largest remainders
// (scikit-learn's _approximate_mode).
Rows class_draws(const Rows& counts, int64_t draws, NumpyGenerator& random) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  Rows drawn;
  std::vector<double> remainders;
  for (const int64_t count : counts) {
    const double share = static_cast<double>(draws * count) / total;
    drawn.push_back(static_cast<int64_t>(std::floor(share)));
    remainders.push_back(share - std::floor(share));
  }
  int64_t left = draws - std::accumulate(drawn.begin(), drawn.end(), int64_t{0});
  const std::set<double, std::greater<>> values(remainders.begin(), remainders.end());
  for (const double value : values) {
    if (left <= 0) break;
    Rows equal;
    for (size_t i = 0; i < remainders.size(); ++i) {
      if (remainders[i] == value) equal.push_back(static_cast<int64_t>(i));
    }
    const int64_t now = std::min<int64_t>(std::ssize(equal), left);
    for (const int64_t i : random.choice(std::ssize(equal), now))
      ++drawn[static_cast<size_t>(equal[static_cast<size_t>(i)])];
    left -= now;
  }
  return drawn;
}

void check_stratified(const std::vector<Rows>& classes, const PartSizes& sizes,
                      const std::string& name, SourceLocation location) {
  const auto count = std::ssize(classes);
  const bool single =
      std::any_of(classes.begin(), classes.end(), [](const Rows& rows) { return rows.size() < 2; });
  if (!single && sizes.train >= count && sizes.test >= count) return;
  raise<InvalidArgument>(
      {.what = single ? str("a class of '", name, "' has one row only")
                      : str(sizes.train, " and ", sizes.test, " rows of ", count, " classes"),
       .wanted = "two rows of each class, and as many rows in each part as there are classes",
       .location = location});
}

PartRows stratified(const std::vector<Rows>& classes, const PartSizes& sizes,
                    NumpyGenerator& random) {
  Rows counts;
  for (const Rows& rows : classes) counts.push_back(std::ssize(rows));
  const Rows trained = class_draws(counts, sizes.train, random);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] -= trained[i];
  const Rows tested = class_draws(counts, sizes.test, random);
  PartRows parts;
  for (size_t i = 0; i < classes.size(); ++i) {
    const Rows order = random.permutation(std::ssize(classes[i]));
    for (int64_t j = 0; j < trained[i] + tested[i]; ++j) {
      Rows& part = j < trained[i] ? parts.train : parts.test;
      part.push_back(classes[i][static_cast<size_t>(order[static_cast<size_t>(j)])]);
    }
  }
  random.shuffle(parts.train);
  random.shuffle(parts.test);
  return parts;
}

}  // namespace

Table Table::shuffle(uint64_t seed) const {
  return select(NumpyGenerator(seed).permutation(rows_));
}

TableParts Table::train_test_split(const TrainTestSplit& options, SourceLocation location) const {
  const PartSizes sizes = part_sizes(options, rows_, location);
  const std::string& by = options.stratify_by_column;
  NumpyGenerator random(options.seed);
  PartRows parts;
  if (!by.empty()) {
    if (!options.shuffle) {
      raise<InvalidArgument>({.what = "a stratified split without a shuffle",
                              .hint = "leave .shuffle = false out",
                              .location = location});
    }
    const std::vector<Rows> classes = rows_by_class((*this)[{by, location}], by, location);
    check_stratified(classes, sizes, by, location);
    parts = stratified(classes, sizes, random);
  } else {
    Rows order(static_cast<size_t>(rows_));
    std::iota(order.begin(), order.end(), 0);
    if (options.shuffle) order = random.permutation(rows_);
    // Shuffled, the test's rows come first.
    const int64_t first = options.shuffle ? sizes.test : sizes.train;
    const auto cut = order.begin() + first;
    parts.train.assign(order.begin(), cut);
    parts.test.assign(cut, cut + (sizes.train + sizes.test - first));
    if (options.shuffle) std::swap(parts.train, parts.test);
  }
  return TableParts(
      {{"train", select(parts.train, location)}, {"test", select(parts.test, location)}});
}

}  // namespace datasets
}  // namespace systolic::inline v0
