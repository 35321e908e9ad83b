// Keras's utilities for arrays: to_categorical, pad_sequences, normalize (keras.utils).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// Class numbers as rows with a 1 in the place of each: f32 [..., num_classes]; a last axis of 1 is
// dropped. Without num_classes: the largest number + 1. InvalidArgument for numbers outside of [0,
// num_classes).
//   to_categorical(Literal::of<int64_t>({0, 2}))      // [[1, 0, 0], [0, 0, 1]]
Literal to_categorical(const Literal& labels, std::optional<int64_t> num_classes = {},
                       SourceLocation location = SourceLocation::current());

// The start or the end of a sequence.
enum class PadSide : uint8_t { pre, post };

struct PadSequencesOptions {
  std::optional<int64_t> maxlen = {};  // the longest
  DType dtype = DType::i32;            // of the result
  PadSide padding = PadSide::pre;      // where `value` is added
  PadSide truncating = PadSide::pre;   // where longer ones lose elements
  double value = 0;                    // what is added
};
// [sequences, maxlen, ...] of sequences of several lengths, [length, ...] each; the sizes after the
// first are equal.
Literal pad_sequences(const std::vector<Literal>& sequences,
                      const PadSequencesOptions& options = {},
                      SourceLocation location = SourceLocation::current());
Literal pad_sequences(const std::vector<std::vector<int64_t>>& sequences,
                      const PadSequencesOptions& options = {},
                      SourceLocation location = SourceLocation::current());
Literal pad_sequences(const std::vector<std::vector<double>>& sequences,
                      const PadSequencesOptions& options = {},
                      SourceLocation location = SourceLocation::current());

// x divided by its norm of that order along an axis: f32, f64 for f64. Rows of zeros stay so. The
// order is at least 1; infinity is the largest absolute value.
Literal normalize(const Literal& x, int axis = -1, double order = 2,
                  SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
