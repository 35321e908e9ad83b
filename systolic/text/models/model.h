// Models: they cut a piece of text into tokens of a vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/text/pieces/json_view.h"
#include "systolic/text/pieces/pieces.h"

namespace systolic::inline v0 {
namespace text {

// Tokens and their ids.
class Vocabulary {
 public:
  Vocabulary() = default;
  // The last of equal tokens counts.
  explicit Vocabulary(std::vector<std::pair<std::string, int32_t>> entries);
  // {"token": id, ...}
  static Vocabulary from_json(const JsonView& json);

  size_t size() const { return ids_.size(); }
  std::optional<int32_t> id_of(std::string_view token) const;
  // nullptr for an id that no token has.
  const std::string* token_of(int32_t id) const;
  // By id.
  const std::vector<std::pair<std::string, int32_t>>& entries() const { return entries_; }
  std::string to_json() const;

 private:
  std::vector<std::pair<std::string, int32_t>> entries_;
  std::unordered_map<std::string_view, int32_t> ids_;  // views into entries_
  std::vector<int32_t> dense_;                         // the entry of each id, or -1
  std::unordered_map<int32_t, int32_t> sparse_;        // for ids far above the number of tokens

 public:
  Vocabulary(const Vocabulary& other) : Vocabulary(other.entries_) {}
  Vocabulary& operator=(Vocabulary other) noexcept;
  Vocabulary(Vocabulary&&) = default;
};

class Model {
 public:
  explicit Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;
  // As tokenizer.json names it: "WordPiece".
  virtual std::string_view type() const = 0;
  // Appends the tokens of `piece`, valid UTF-8.
  virtual void tokenize(std::string_view piece, std::vector<Token>& tokens) const = 0;
  // The member "model" of tokenizer.json.
  virtual std::string to_json() const = 0;
  const Vocabulary& vocabulary() const { return vocabulary_; }

 protected:
  Vocabulary vocabulary_;
};

// Makes it from the member "model" of tokenizer.json.
std::unique_ptr<Model> make_model(const JsonView& json);

}  // namespace text
}  // namespace systolic::inline v0
