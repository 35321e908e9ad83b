// DeBERTa's attention (He et al. 2020, arXiv 2006.03654, section 3.1): what a token says and where
// it stands are two vectors, and scores are sums of products of the one kind with the other.
// Internal to transformers.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/trace/ops/creation.h"

namespace systolic::inline v0 {

// Which products there are besides that of content with content.
struct DisentangledAttention {
  bool content_to_position = true;  // "c2p": of a query with the distance to a key
  bool position_to_content = true;  // "p2c": of a key with the distance to a query
  bool shares_projections = false;  // distances are projected by the layers of the contents

  // 1 / sqrt(head size * number of products), of all scores.
  double scale(int64_t head_size) const;
};

// The sum of such products, [batch, heads, tokens, tokens]. `rows` [1, 2 * tokens, heads * size]
// are projected vectors of distances, as distance_rows() orders them.
struct DisentangledScores {
  int64_t heads = 0;
  Tensor sum = constant(0.0f);

  // query [batch, tokens, heads * size].
  void add_content_to_position(const Tensor& query, const Tensor& rows);
  void add_position_to_content(const Tensor& key, const Tensor& rows);
};

// Which vector of a table each distance has (He et al. 2021, arXiv 2111.09543, appendix A.5 and the
// published code): as many for each direction as `count`, the farther ones for all beyond.
struct DistanceTable {
  int64_t count = 0;
  // Distances beyond count / 2 share vectors by their logarithm, up to this one; 0: none do.
  int64_t max_distance = 0;

  // The vector of `distance`, query's place - key's place: 0 to 2 * count - 1.
  int64_t row(int64_t distance) const;
};

// The rows of distances tokens, tokens - 1, ... 1 - tokens, what queries look up by the columns of
// scores_by_key(); `from_keys`: of their negatives, what keys look up.
std::vector<int32_t> distance_rows(const DistanceTable& table, int64_t tokens, bool from_keys);

}  // namespace systolic::inline v0
