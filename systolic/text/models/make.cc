#include "systolic/base/error.h"
#include "systolic/text/models/bpe.h"
#include "systolic/text/models/model.h"
#include "systolic/text/models/unigram.h"
#include "systolic/text/models/word_level.h"
#include "systolic/text/models/word_piece.h"

namespace systolic::inline v0 {
namespace text {

std::unique_ptr<Model> make_model(const JsonView& json) {
  // Files of old versions name no type; their members tell it.
  const char* usual = json.has("merges")                      ? "BPE"
                      : json.has("continuing_subword_prefix") ? "WordPiece"
                                                              : "WordLevel";
  const std::string type = json.string_or("type", usual);
  if (type == "WordPiece") return WordPiece::from_json(json);
  if (type == "Unigram") return Unigram::from_json(json);
  if (type == "BPE") return Bpe::from_json(json);
  if (type == "WordLevel") return WordLevel::from_json(json);
  raise<Unimplemented>({.what = str(json.path(), " has the type '", type, "'"),
                        .wanted = "BPE, Unigram, WordLevel or WordPiece"});
}

}  // namespace text
}  // namespace systolic::inline v0
