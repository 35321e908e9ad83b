#include "systolic/train/loops/fit/batch_advice.h"

#include <gtest/gtest.h>

#include "systolic/train/model/model.h"

namespace systolic {
namespace {

TEST(BatchAdvice, SaysHowTheBatchDividesAndWhatItWastes) {
  struct Case {
    int64_t batch, cores;
    const char* wanted;
  };
  const Case table[] = {
      {200, 8,
       "global batch 200 = 8 × 25 (v3-8); a TPU core pads 25 rows to 32: 22 % of its work is "
       "padding. The guides advise 128 a core (global 1024), with the learning rate scaled by "
       "scale_learning_rate(rate, 200, 1024)."},
      {1024, 8, "global batch 1024 = 8 × 128 (v3-8)."},
      {200, 1, "global batch 200 = 1 × 200 (v3-8)."},
      {2056, 8,
       "global batch 2056 = 8 × 257 (v3-8); a TPU core pads 257 rows to 264: 3 % of its work is "
       "padding."},
      {20000, 8, "global batch 20000 = 8 × 2500 (v3-8)."},
      {7, 8,
       "global batch 7 on 8 cores (v3-8): 1 each, 1 of them padding; a TPU core pads 1 row to 8: "
       "88 % of its work is padding. The guides advise 128 a core (global 1024), with the learning "
       "rate scaled by scale_learning_rate(rate, 7, 1024)."},
  };
  for (const Case& row : table)
    EXPECT_EQ(batch_advice(row.batch, row.cores, parse_tpu_kind("v3-8")), row.wanted);
}

}  // namespace
}  // namespace systolic
