// numpy.random.default_rng(seed), as far as permutations need it: PCG64 (O'Neill 2014, XSL-RR,
// 128 bits of state) seeded by a SeedSequence, and Lemire's bounded integers (2019). `datasets`
// shuffles and splits by it, so that the same seed gives the same rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systolic::inline v0 {
namespace datasets {

class NumpyGenerator {
 public:
  explicit NumpyGenerator(uint64_t seed);

  // permutation(n): 0 to n - 1.
  std::vector<int64_t> permutation(int64_t n);
  // shuffle(array), and permutation(array).
  void shuffle(std::vector<int64_t>& values);
  // choice(n, size, replace=False): `size` of 0 to n - 1.
  std::vector<int64_t> choice(int64_t n, int64_t size);

 private:
  uint64_t next64();
  uint32_t next32();
  // 0 to `most`, by multiplication; and by masks and rejection.
  uint64_t bounded(uint64_t most);
  uint64_t masked(uint64_t most);
  void shuffle_integers(std::vector<int64_t>& values, size_t first);

  unsigned __int128 state_ = 0, increment_ = 0;
  bool has_half_ = false;
  uint32_t half_ = 0;  // of a 64-bit number whose lower half was taken
};

}  // namespace datasets
}  // namespace systolic::inline v0
