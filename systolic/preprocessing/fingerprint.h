// Hashes of bytes that never change: the same on each machine, in each version, and in TensorFlow,
// so that a table that was trained there by hashed features fits here.
//
//   fingerprint64("hello") % num_bins         // tf.strings.to_hash_bucket_fast
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {

// FarmHash's Fingerprint64 (Pike, Alakuijala: github.com/google/farmhash).
uint64_t fingerprint64(std::string_view bytes);
// Two fingerprints as one, as tf.sparse.cross_hashed joins them: by the steps of MurmurHash64A.
uint64_t joined_fingerprints(uint64_t first, uint64_t second);
// SipHash-2-4 (Aumasson, Bernstein, "SipHash: a fast short-input PRF", 2012) with a key of two
// numbers: tf.strings.to_hash_bucket_strong.
uint64_t siphash(uint64_t key0, uint64_t key1, std::string_view bytes);

}  // namespace systolic::inline v0
