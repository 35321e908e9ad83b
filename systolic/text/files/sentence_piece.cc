#include "systolic/text/files/sentence_piece.h"

#include <algorithm>
#include <bit>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"
#include "systolic/io/encoding/base64.h"
#include "systolic/text/files/older_files.h"
#include "systolic/text/models/model.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// Calls f(field, value) for the fields of a message: a number, or the bytes of a length-delimited
// field. False where the bytes are not a message.
template <class F>
bool for_each_field(std::string_view message, F&& f) {
  protobuf::WireReader reader(message);
  while (!reader.at_end()) {
    uint32_t field = 0, fixed = 0;
    protobuf::WireType type{};
    uint64_t number = 0;
    std::string_view bytes;
    if (!reader.read_tag(field, type)) return false;
    const bool read = type == protobuf::WireType::varint    ? reader.read_varint(number)
                      : type == protobuf::WireType::bytes   ? reader.read_bytes(bytes)
                      : type == protobuf::WireType::fixed32 ? reader.read_fixed32(fixed)
                                                            : reader.skip(type);
    if (!read || !f(field, type == protobuf::WireType::fixed32 ? fixed : number, bytes))
      return false;
  }
  return true;
}

bool read_piece(std::string_view message, ScoredPiece& piece) {
  return for_each_field(message, [&](uint32_t field, uint64_t number, std::string_view bytes) {
    if (field == 1) piece.text = lossy_utf8(bytes);
    if (field == 2) piece.score = std::bit_cast<float>(static_cast<uint32_t>(number));
    if (field == 3) piece.type = number;
    return true;
  });
}

bool read_model(std::string_view message, SentencePieceModel& model) {
  const auto trainer = [&](uint32_t field, uint64_t number, std::string_view) {
    if (field == 3) model.model_type = number;
    if (field == 35) model.byte_fallback = number != 0;
    if (field == 40) model.unk_id = number;
    return true;
  };
  const auto normalizer = [&](uint32_t field, uint64_t number, std::string_view bytes) {
    if (field == 2) model.character_map = bytes;
    if (field == 3) model.add_dummy_prefix = number != 0;
    return true;
  };
  return for_each_field(message, [&](uint32_t field, uint64_t, std::string_view bytes) {
    if (field == 1) return read_piece(bytes, model.pieces.emplace_back());
    if (field == 2) return for_each_field(bytes, trainer);
    return field != 3 || for_each_field(bytes, normalizer);
  });
}

// The pairs that merge into a piece, those of the best pieces first. In a model whose pieces begin
// and end each other ("a", "aa", "aaa" ...) their number grows as the cube of the number of pieces.
// The pairs of real models have fewer bytes than the file.
std::string merges_of(const SentencePieceModel& model, const Vocabulary& vocabulary) {
  struct Merge {
    float score;
    size_t left_length, right_length;
    std::string left, right;
  };
  constexpr size_t most_bytes = 512;  // of a piece that is merged
  std::vector<Merge> merges;
  size_t bytes = 0;
  for (const ScoredPiece& piece : model.pieces) {
    std::vector<std::pair<std::pair<int32_t, int32_t>, Merge>> own;
    for (size_t at = 1; at < piece.text.size() && piece.text.size() <= most_bytes; ++at) {
      if (is_continuation(piece.text[at])) continue;
      Merge merge{piece.score, 0, 0, piece.text.substr(0, at), piece.text.substr(at)};
      const auto left = vocabulary.id_of(merge.left), right = vocabulary.id_of(merge.right);
      if (!left || !right) continue;
      if ((bytes += sizeof(Merge) + piece.text.size()) > model.most_merge_bytes) {
        raise<ResourceExhausted>({.what = str(model.name,
                                              " has pieces that are made of each other "
                                              "in more than ",
                                              merges.size(), " ways"),
                                  .wanted = "a model that was trained on text"});
      }
      merge.left_length = count_characters(merge.left);
      merge.right_length = count_characters(merge.right);
      own.push_back({{*left, *right}, std::move(merge)});
    }
    std::stable_sort(own.begin(), own.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [ids, merge] : own) merges.push_back(std::move(merge));
  }
  std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.left_length != b.left_length) return a.left_length > b.left_length;
    return a.right_length > b.right_length;
  });
  std::string json = "[";
  for (const Merge& merge : merges) {
    if (json.size() > 1) json += ",";
    json += str("[", json_quoted(merge.left), ",", json_quoted(merge.right), "]");
  }
  return json + "]";
}

std::string added_tokens(const SentencePieceModel& model) {
  std::string json = "[";
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const ScoredPiece& piece = model.pieces[i];
    if (piece.type != control && piece.type != unknown && piece.type != user_defined) continue;
    if (json.size() > 1) json += ",";
    json += str(R"({"id":)", i, R"(,"content":)", json_quoted(piece.text),
                R"(,"single_word":false,"lstrip":false,"rstrip":false,"normalized":false,)",
                R"("special":)", piece.type == user_defined ? "false" : "true", "}");
  }
  return json + "]";
}

std::string precompiled(const SentencePieceModel& model) {
  const std::string json = precompiled_json(model);
  return json.empty() ? "" : json + ",";
}

std::string unigram_json(const SentencePieceModel& model) {
  const std::string metaspace =
      str(R"({"type":"Metaspace","replacement":"▁","prepend_scheme":)",
          model.add_dummy_prefix ? R"("always")" : R"("never")", R"(,"split":true})");
  return str(R"({"added_tokens":)", added_tokens(model),
             R"(,"normalizer":{"type":"Sequence","normalizers":[)", precompiled(model),
             R"({"type":"Strip","strip_left":false,"strip_right":true},{"type":"Replace",)",
             R"("pattern":{"Regex":" {2,}"},"content":"▁"}]},"pre_tokenizer":)", metaspace,
             R"(,"decoder":)", metaspace, R"(,"model":{"type":"Unigram","unk_id":)", model.unk_id,
             R"(,"byte_fallback":)", model.byte_fallback ? "true" : "false", R"(,"vocab":)",
             scores_json(model.pieces), "}}");
}

std::string bpe_json(const SentencePieceModel& model) {
  std::vector<std::pair<std::string, int32_t>> entries;
  for (const ScoredPiece& piece : model.pieces) {
    entries.emplace_back(piece.text, static_cast<int32_t>(entries.size()));
  }
  const Vocabulary vocabulary(std::move(entries));
  if (model.unk_id >= model.pieces.size()) {
    raise<DataLoss>({.what = str(model.name, " has no piece ", model.unk_id, ", its unknown one")});
  }
  const std::string prefix = model.add_dummy_prefix ? R"({"type":"Prepend","prepend":"▁"},)" : "";
  return str(R"({"added_tokens":)", added_tokens(model),
             R"(,"normalizer":{"type":"Sequence","normalizers":[)", precompiled(model), prefix,
             R"({"type":"Replace","pattern":{"String":" "},"content":"▁"}]},"decoder":)",
             R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},)",
             R"("content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip",)",
             R"("content":" ","start":1,"stop":0}]},"model":{"type":"BPE","unk_token":)",
             json_quoted(model.pieces[model.unk_id].text), R"(,"fuse_unk":true,"byte_fallback":)",
             model.byte_fallback ? "true" : "false", R"(,"vocab":)", vocabulary.to_json(),
             R"(,"merges":)", merges_of(model, vocabulary), "}}");
}

}  // namespace

std::string precompiled_json(const SentencePieceModel& model) {
  if (model.character_map.empty()) return "";
  return str(R"({"type":"Precompiled","precompiled_charsmap":")", io::base64(model.character_map),
             R"("})");
}

std::string scores_json(const std::vector<ScoredPiece>& pieces) {
  std::string list = "[";
  for (const ScoredPiece& piece : pieces) {
    if (list.size() > 1) list += ",";
    list += str("[", json_quoted(piece.text), ",", static_cast<double>(piece.score), "]");
  }
  return list + "]";
}

Tokenizer sentence_piece_tokenizer(std::string_view bytes, const std::string& name,
                                   OlderFolder& folder) {
  SentencePieceModel model;
  model.name = name;
  model.most_merge_bytes = 64 * bytes.size() + (size_t{1} << 20);
  if (!read_model(bytes, model) || model.pieces.empty()) {
    raise<DataLoss>(
        {.what = str(name, " is not a SentencePiece model"), .hint = "fetch the file again"});
  }
  if (model.model_type != 1 && model.model_type != 2) {
    raise<Unimplemented>({.what = str(name, " is a model of type ", model.model_type),
                          .wanted = "Unigram (1) or BPE (2)"});
  }
  if (folder.is_silent) folder.tokenizer_class = sentence_piece_class(model);
  std::string json = sentence_piece_class_json(model, folder);
  if (json.empty()) json = model.model_type == 1 ? unigram_json(model) : bpe_json(model);
  return Tokenizer::from_json(json, name, {});
}

}  // namespace text
}  // namespace systolic::inline v0
