#include "systolic/base/error.h"
#include "systolic/text/models/model.h"
#include "systolic/text/models/word_level.h"
#include "systolic/text/models/word_piece.h"

namespace systolic::inline v0 {
namespace text {

std::unique_ptr<Model> make_model(const JsonView& json) {
  const std::string type = json.string_or("type", "WordPiece");
  if (type == "WordPiece") return WordPiece::from_json(json);
  if (type == "WordLevel") return WordLevel::from_json(json);
  raise<Unimplemented>({.what = str(json.path(), " has the type '", type, "'"),
                        .wanted = "BPE, Unigram, WordLevel or WordPiece"});
}

}  // namespace text
}  // namespace systolic::inline v0
