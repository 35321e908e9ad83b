// How far apart two tokens are, as T5 distinguishes it (Raffel et al. 2020, arXiv 1910.10683,
// section 2.1): each distance has a bucket of its own while it is small, larger ones share buckets
// that grow with their logarithm. Internal to transformers.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct RelativeBuckets {
  int64_t count = 32;
  int64_t max_distance = 128;   // from here on all are in the last bucket
  bool both_directions = true;  // keys after a query have the second half of the buckets; else the
                                // bucket of distance 0
};

// The bucket of each distance, key's place - query's place, from -max_distance to max_distance.
std::vector<int32_t> bucket_of_distances(const RelativeBuckets& buckets);

// What is added to the scores of queries in `slots` i32 [tokens] for keys in slots 0, 1, ... `keys`
// - 1: [1, heads, tokens, keys], from by_distance [distances, heads], whose rows are those of
// bucket_of_distances.
Tensor bias_of_distances(const Tensor& by_distance, const Tensor& slots, int64_t keys);

}  // namespace systolic::inline v0
