#include "systolic/text/auto_tokenizer.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/file.h"
#include "systolic/text/json_view.h"
#include "systolic/text/older_files.h"
#include "systolic/text/tokenizer_config.h"

namespace systolic::inline v0 {
namespace {

// A file of JSON, or an empty object where there is none.
std::shared_ptr<const text::JsonFile> json_of(const std::string& path, SourceLocation location) {
  return text::JsonFile::parse(io::exists(path) ? io::read_file(path, location) : "{}", path);
}

Tokenizer read(const std::string& folder, const text::JsonView& config, SourceLocation location) {
  const auto path = [&](std::string_view name) { return str(folder, "/", name); };
  const auto contents = [&](std::string_view name) { return io::read_file(path(name), location); };
  if (io::exists(path("tokenizer.json"))) {
    return Tokenizer::from_file(path("tokenizer.json"), location);
  }
  if (io::exists(path("vocab.txt"))) return text::bert_tokenizer(contents("vocab.txt"), config);
  if (io::exists(path("vocab.json")) && io::exists(path("merges.txt"))) {
    return text::byte_level_tokenizer(contents("vocab.json"), contents("merges.txt"), config);
  }
  for (const std::string_view name :
       {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model"}) {
    if (io::exists(path(name))) return text::sentence_piece_tokenizer(contents(name), path(name));
  }
  raise<NotFound>({.what = str("no tokenizer in ", folder),
                   .wanted = "tokenizer.json, vocab.txt, vocab.json with merges.txt, or "
                             "spiece.model",
                   .hint = "the folder of a model: one that is known by its name only has to be "
                           "downloaded first",
                   .location = location});
}

}  // namespace

Tokenizer AutoTokenizer::from_pretrained(const std::string& folder, SourceLocation location) {
  const auto config = json_of(folder + "/tokenizer_config.json", location);
  const auto special_tokens = json_of(folder + "/special_tokens_map.json", location);
  Tokenizer tokenizer = read(folder, config->root(), location);
  tokenizer.pad_only_when_asked();
  text::apply_tokenizer_config(*tokenizer.state_, config->root(), special_tokens->root());
  tokenizer.set_truncation(std::nullopt);
  return tokenizer;
}

}  // namespace systolic::inline v0
