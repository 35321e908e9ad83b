// When a search by beams ends (transformers' early_stopping):
//   false     where no text that is being written looks as if it could become better than the worst
//             of those that are finished, if it ended now
//   true      as soon as there are as many finished texts as beams
//   "never"   where none can become better, however long it gets
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {

class BeamStopping {
 public:
  enum class When : uint8_t { unlikely, enough, never };

  BeamStopping(bool at_enough)  // NOLINT: .early_stopping = true
      : when_(at_enough ? When::enough : When::unlikely) {}
  // InvalidArgument for another text than "never".
  BeamStopping(const char* text);  // NOLINT: .early_stopping = "never"

  When when() const { return when_; }
  friend bool operator==(const BeamStopping&, const BeamStopping&) = default;

 private:
  When when_;
};

}  // namespace systolic::inline v0
