// What is unwise in a pipeline, for people to read before a long training run. Dataset::advice
// reads one batch for it, and calls the functions of maps before a cache twice, with the first
// element; Dataset::save does the latter too, and logs what it finds. fit calls no function for it:
// it says what the transformations and its first batch show.
//
//   for (const std::string& line : train.advice(8)) std::cout << line << "\n";
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace data {

class Node;

// For one batch: floats that are bytes, or bytes over 255, and would take a quarter of the transfer
// as u8.
std::vector<std::string> advice_on_values(const Example& batch);

// The same for a batch that goes to `cores` cores, and fewer than 8 rows a core.
std::vector<std::string> advice_on_batch(const Example& batch, int64_t cores);

// For the transformations: a random map or a shuffle before a cache. Calls the functions of maps
// before a cache twice, with the first element.
std::vector<std::string> advice_on_caches(const Node& last);

// Only the shuffles before a cache, which show without calling or reading anything.
std::vector<std::string> advice_on_order(const Node& last);

// Whether a prefetch is the last transformation, apart from options.
bool ends_in_prefetch(const Node& last);

// All of advice_on_caches, and nothing read ahead.
std::vector<std::string> advice_on_graph(const Node& last);

// For TFRecord files: too few, too many or too small for that many cores (io/files/file_advice.h).
// Files that a function opens, as interleave's does, are not seen.
std::vector<std::string> advice_on_files(const Node& last, int64_t cores);

// For transformations whose results `keeper` ("save") writes once for all later epochs.
std::vector<std::string> advice_on_kept(const Node& last, const std::string& keeper);

}  // namespace data
}  // namespace systolic::inline v0
