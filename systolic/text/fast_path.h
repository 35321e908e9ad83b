// Ways through well-known combinations of components that give the same tokens without the
// intermediate texts.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "systolic/text/added_tokens.h"
#include "systolic/text/models/model.h"
#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

// Characters [begin, end) of the text, and the piece that the token is of. Where only ids were
// asked for, the others are not set.
struct FastToken {
  int32_t id;
  uint32_t begin, end;
  int32_t word;
};

class FastPath {
 public:
  virtual ~FastPath() = default;
  // Appends the tokens of a text; false, and nothing appended, where the text has to take the
  // general way: that way and not this one finds added tokens.
  virtual bool run(std::string_view text, bool offsets, std::vector<FastToken>& tokens) const = 0;
};

// nullptr where there is none for the combination. What is passed must outlive the result.
std::unique_ptr<FastPath> make_fast_path(const Normalizer* normalizer,
                                         const PreTokenizer* pre_tokenizer, const Model& model,
                                         const AddedTokens& added);

}  // namespace text
}  // namespace systolic::inline v0
