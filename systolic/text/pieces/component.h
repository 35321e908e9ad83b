// The parts that a tokenizer is made of; a tokenizer.json names one of each kind.
//
// The calls that tokenizing makes are const and may run on several threads at once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/text/pieces/encoding.h"
#include "systolic/text/pieces/json_view.h"
#include "systolic/text/pieces/normalized_text.h"
#include "systolic/text/pieces/pieces.h"

namespace systolic::inline v0 {
namespace text {

// A component keeps the JSON that it was made from, to be saved again.
class Component {
 public:
  virtual ~Component() = default;
  // The "type" of the JSON.
  std::string type;
  std::string config;
};

// Changes characters, before anything is split.
class Normalizer : public Component {
 public:
  virtual void normalize(NormalizedText& text) const = 0;
};

// Splits a text into pieces, which the model treats one at a time.
class PreTokenizer : public Component {
 public:
  virtual void pre_tokenize(Pieces& pieces) const = 0;
};

// Puts special tokens around the encodings of one text or two.
class PostProcessor : public Component {
 public:
  // Special tokens that it adds.
  virtual size_t added_tokens(bool pair) const = 0;
  // Whether the offsets of the texts' tokens stay as they are.
  virtual bool keeps_offsets() const { return true; }
  // Takes one or two encodings; returns a list to be concatenated.
  virtual std::vector<Encoding> process(std::vector<Encoding> encodings,
                                        bool add_special_tokens) const = 0;
};

// Makes text of tokens. The results are concatenated.
class Decoder : public Component {
 public:
  virtual std::vector<std::string> decode(std::vector<std::string> tokens) const = 0;
};

// Makes it from a member of tokenizer.json, which names its "type". DataLoss for one that is not
// well-formed, Unimplemented for an unknown type.
std::unique_ptr<Normalizer> make_normalizer(const JsonView& json);
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const JsonView& json);
std::unique_ptr<PostProcessor> make_post_processor(const JsonView& json);
std::unique_ptr<Decoder> make_decoder(const JsonView& json);

// Sets what every component keeps.
template <class T>
std::unique_ptr<T> with_config(std::unique_ptr<T> component, const JsonView& json) {
  component->type = json.at("type").string();
  component->config = json.dump();
  return component;
}

}  // namespace text
}  // namespace systolic::inline v0
