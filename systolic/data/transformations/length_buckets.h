// Which lengths to pad sequences to, chosen from the data: few, since each is a compilation, and
// such that little is padded.
//
//   auto buckets = data::length_buckets(lengths, {.buckets = 4, .multiple = 32});
//   std::cout << to_string(buckets);  // "padded to 32, 64, 96, 160: 11.8 % of 91,232 tokens are
//                                    // padding"
//   train.bucket_by_sequence_length(length_of, buckets.boundaries(), sizes,
//                                   {.pad_to_bucket_boundary = true})
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace data {

// Which share of `padded_tokens` is padding where `tokens` are not; and the same in words: "padded
// to 32, 64, 96, 160: 11.8 % of 91,232 tokens are padding".
double padding_share(int64_t tokens, int64_t padded_tokens);
std::string padding_text(const std::vector<int64_t>& lengths, int64_t tokens,
                         int64_t padded_tokens);

struct LengthBucketOptions {
  int64_t buckets = 4;     // at most this many
  int64_t multiple = 32;   // every length is a multiple of it
  int64_t max_length = 0;  // longer sequences are cut to it; 0: none are
};

struct LengthBuckets {
  std::vector<int64_t> lengths;  // rising; the last one holds the longest sequence
  int64_t tokens = 0;            // of all sequences, after cutting
  int64_t padded_tokens = 0;     // of all sequences, with what pads them

  double waste() const { return padding_share(tokens, padded_tokens); }
  // The first of `lengths` that holds a sequence; if none does, the last one, to which it is cut.
  int64_t length_for(int64_t tokens) const;
  // What bucket_by_sequence_length takes: bucket i holds the lengths below boundary i.
  std::vector<int64_t> boundaries() const;
};

// The lengths with the least padding, by dynamic programming over the distinct lengths: no other
// choice of as many multiples pads less. Time O(n log d + buckets * d * log d) for n sequences of d
// distinct multiples. InvalidArgument for no sequences, a negative length, and options below 1.
LengthBuckets length_buckets(std::span<const int64_t> sequence_lengths,
                             const LengthBucketOptions& options = {},
                             SourceLocation location = SourceLocation::current());

std::string to_string(const LengthBuckets& buckets);

}  // namespace data
}  // namespace systolic::inline v0
