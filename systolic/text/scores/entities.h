// Names and other entities in sentences whose words are tagged, and how well they were found: what
// the package seqeval computes.
//
//   const std::vector<EntitySpan> spans = entity_spans({"B-PER", "I-PER", "O"});  // PER, words 0,
//   1 const EntityScores scores = entity_scores(predictions, references); std::cout <<
//   scores.overall.f1;
//
// A tag is "O", of no entity, or a letter that says where in an entity its word stands, and the
// entity's type: "B-PER".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// Which letters there are, and what may follow what: "IOB1", "IOB2", "IOE1", "IOE2", "IOBES",
// "BILOU".
//   const EntityScheme scheme = "IOBES";
class EntityScheme {
 public:
  enum Kind { iob1, iob2, ioe1, ioe2, iobes, bilou };
  template <size_t n>
  consteval EntityScheme(const char (&name)[n]) : kind_(kind_of({name, n - 1})) {}  // NOLINT
  constexpr Kind kind() const { return kind_; }

 private:
  static consteval Kind kind_of(std::string_view name) {
    if (name == "IOB1") return iob1;
    if (name == "IOB2") return iob2;
    if (name == "IOE1") return ioe1;
    if (name == "IOE2") return ioe2;
    if (name == "IOBES") return iobes;
    if (name == "BILOU") return bilou;
    throw "a scheme is \"IOB1\", \"IOB2\", \"IOE1\", \"IOE2\", \"IOBES\" or \"BILOU\"";
  }
  Kind kind_;
};

// How tags are read: EntityOptions{.strict = true, .scheme = "IOBES"}.
struct EntityOptions {
  // false: as conlleval does, which takes the letters B, I, E and S of all schemes and begins an
  // entity wherever the type changes. true: only what the scheme allows is an entity.
  bool strict = false;
  EntityScheme scheme = "IOB2";  // where strict
};

// Words [begin, end) of a sentence: EntitySpan{"PER", 0, 2}.
struct EntitySpan {
  std::string type = {};
  int64_t begin = 0, end = 0;

  friend bool operator==(const EntitySpan&, const EntitySpan&) = default;
  friend auto operator<=>(const EntitySpan&, const EntitySpan&) = default;
};

// The entities of a sentence, in order. InvalidArgument for an empty tag and, where strict, for a
// letter that the scheme lacks.
std::vector<EntitySpan> entity_spans(const std::vector<std::string>& tags,
                                     const EntityOptions& options = {},
                                     SourceLocation location = SourceLocation::current());

// Which part of the predicted entities is right, which part of the right ones was predicted, and
// the harmonic mean; 0 where there are none. An entity is right with its place and its type.
struct EntityScore {
  double precision = 0, recall = 0, f1 = 0;
  int64_t number = 0;  // of right ones
};

// All sentences together: scores.overall.f1, scores.types["PER"].recall.
struct EntityScores {
  EntityScore overall = {};                               // of all types together
  std::map<std::string, EntityScore> types = {};          // by type
  EntityScore macro_average = {}, weighted_average = {};  // of the types, equally or by number
  double accuracy = 0;                                    // of the tags
};

// Tags of sentences, predicted and right ones. InvalidArgument for different numbers of sentences
// or words, for none, and as entity_spans.
EntityScores entity_scores(const std::vector<std::vector<std::string>>& predictions,
                           const std::vector<std::vector<std::string>>& references,
                           const EntityOptions& options = {},
                           SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
