#include "systolic/text/models/bpe.h"

#include <algorithm>
#include <random>

#include "systolic/base/error.h"
#include "systolic/text/pieces/byte_characters.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// A symbol while a piece is merged. Symbols form a list; merged ones drop out with size 0.
struct Link {
  int32_t id;
  uint32_t size;
  int64_t previous, next;  // -1: none
};

// A merge that was possible when it was queued.
struct Candidate {
  uint32_t rank;
  int32_t id;
  int64_t at;
  // The heap gives out the largest.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : at > other.at;
  }
};

class Merger {
 public:
  Merger(std::vector<Link>& links, std::vector<Candidate>& queue, const MergeTable& merges)
      : links_(links), queue_(queue), merges_(merges) {
    queue_.clear();
    for (int64_t at = 0; at + 1 < static_cast<int64_t>(links_.size()); ++at) {
      if (const auto* merge = merge_at(at)) queue_.push_back({merge->rank, merge->id, at});
    }
    std::make_heap(queue_.begin(), queue_.end());
  }

  // drop() says whether to leave out a merge until another one is done.
  template <class Drop>
  void run(Drop&& drop) {
    std::vector<Candidate> dropped;
    while (!queue_.empty()) {
      const Candidate top = pop();
      if (drop()) {
        dropped.push_back(top);
        continue;
      }
      for (const Candidate& candidate : dropped) push(candidate);
      dropped.clear();
      apply(top);
    }
  }

 private:
  Link& link(int64_t at) { return links_[static_cast<size_t>(at)]; }
  const MergeTable::Merge* merge_at(int64_t at) {
    return merges_.find(link(at).id, link(link(at).next).id);
  }
  void push(const Candidate& candidate) {
    queue_.push_back(candidate);
    std::push_heap(queue_.begin(), queue_.end());
  }
  Candidate pop() {
    std::pop_heap(queue_.begin(), queue_.end());
    const Candidate top = queue_.back();
    queue_.pop_back();
    return top;
  }
  void push_merge_at(int64_t at) {
    if (const auto* merge = merge_at(at)) push({merge->rank, merge->id, at});
  }

  void apply(const Candidate& top) {
    Link& left = link(top.at);
    if (left.size == 0 || left.next < 0) return;
    const auto* merge = merge_at(top.at);
    if (merge == nullptr || merge->id != top.id) return;  // it was queued for other neighbours
    Link& right = link(left.next);
    left.id = top.id;
    left.size += right.size;
    left.next = right.next;
    right.size = 0;
    if (left.next >= 0) link(left.next).previous = top.at;
    if (left.previous >= 0) push_merge_at(left.previous);
    if (left.next >= 0) push_merge_at(top.at);
  }

  std::vector<Link>& links_;
  std::vector<Candidate>& queue_;
  const MergeTable& merges_;
};

std::string joined(const std::string& left, const std::string& right, const std::string& prefix) {
  if (right.size() < prefix.size()) {
    raise<DataLoss>(
        {.what = str("a merge of '", right, "', which lacks the prefix '", prefix, "'")});
  }
  return left + right.substr(prefix.size());
}

std::string json_or_null(const std::string& text) {
  return text.empty() ? "null" : json_quoted(text);
}

}  // namespace

void MergeTable::insert(int32_t left, int32_t right, Merge merge) {
  if (2 * (size_ + 1) > slots_.size()) {
    std::vector<Slot> old;
    old.swap(slots_);
    slots_.resize(std::max<size_t>(1024, 2 * old.size()));
    shift_ = 64;
    for (size_t size = slots_.size(); size > 1; size /= 2) --shift_;
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.key == free_key) continue;
      insert(static_cast<int32_t>(slot.key >> 32), static_cast<int32_t>(slot.key), slot.merge);
    }
  }
  const uint64_t key = key_of(left, right);
  size_t at = place_of(key);
  while (slots_[at].key != free_key && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  size_ += slots_[at].key == free_key;
  slots_[at] = {key, merge};
}

std::vector<MergeTable::Entry> MergeTable::entries() const {
  std::vector<Entry> entries;
  for (const auto& [key, merge] : slots_) {
    if (key == free_key) continue;
    entries.push_back({static_cast<int32_t>(key >> 32), static_cast<int32_t>(key), merge});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.merge.rank < b.merge.rank; });
  return entries;
}

Bpe::Bpe(Vocabulary vocabulary, const Merges& merges, Config config)
    : Model(std::move(vocabulary)), config_(std::move(config)) {
  if (config_.dropout && !(*config_.dropout >= 0 && *config_.dropout <= 1)) {
    raise<InvalidArgument>({.what = str("dropout = ", *config_.dropout), .wanted = "0 to 1"});
  }
  if (config_.unk_token) unknown_ = vocabulary_.id_of(*config_.unk_token);
  constexpr char digits[] = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    byte_tokens_.push_back(
        vocabulary_.id_of(str("<0x", digits[byte / 16], digits[byte % 16], ">")));
  }
  uint32_t rank = 0;
  for (const auto& [left, right] : merges) add_merge(left, right, rank++);
}

void Bpe::add_merge(const std::string& left, const std::string& right, uint32_t rank) {
  const auto id = [&](const std::string& token) {
    const auto known = vocabulary_.id_of(token);
    if (!known) {
      raise<DataLoss>({.what = str("merge ", rank + 1, ", of '", left, "' and '", right,
                                   "': the vocabulary has no token '", token, "'")});
    }
    return *known;
  };
  const int32_t left_id = id(left), right_id = id(right);
  merges_.insert(left_id, right_id,
                 {rank, id(joined(left, right, config_.continuing_subword_prefix))});
}

std::unique_ptr<Bpe> Bpe::from_json(const JsonView& json) {
  Config config;
  if (json.has("dropout")) config.dropout = static_cast<float>(json.at("dropout").number());
  if (json.has("unk_token")) config.unk_token = json.at("unk_token").string();
  config.continuing_subword_prefix = json.string_or("continuing_subword_prefix", "");
  config.end_of_word_suffix = json.string_or("end_of_word_suffix", "");
  config.fuse_unk = json.boolean_or("fuse_unk", false);
  config.byte_fallback = json.boolean_or("byte_fallback", false);
  config.ignore_merges = json.boolean_or("ignore_merges", false);
  Merges merges;
  const JsonView list = json.at("merges");
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonView pair = list[i];
    if (pair.is_array()) {
      if (pair.size() != 2) pair.raise_not("two tokens");
      merges.emplace_back(pair[0].string(), pair[1].string());
      continue;
    }
    const std::string both = pair.string();
    if (both.starts_with("#version")) continue;
    const size_t space = both.find(' ');
    if (space == std::string::npos || both.find(' ', space + 1) != std::string::npos) {
      pair.raise_not("two tokens with a space between them");
    }
    merges.emplace_back(both.substr(0, space), both.substr(space + 1));
  }
  return std::make_unique<Bpe>(Vocabulary::from_json(json.at("vocab")), merges, std::move(config));
}

std::string Bpe::to_json() const {
  std::string merges = "[";
  for (const auto& [left, right, merge] : merges_.entries()) {
    if (merges.size() > 1) merges += ",";
    merges += str("[", json_quoted(*vocabulary_.token_of(left)), ",",
                  json_quoted(*vocabulary_.token_of(right)), "]");
  }
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  return str(R"({"type":"BPE","dropout":)", config_.dropout ? str(*config_.dropout) : "null",
             R"(,"unk_token":)", config_.unk_token ? json_quoted(*config_.unk_token) : "null",
             R"(,"continuing_subword_prefix":)", json_or_null(config_.continuing_subword_prefix),
             R"(,"end_of_word_suffix":)", json_or_null(config_.end_of_word_suffix),
             R"(,"fuse_unk":)", flag(config_.fuse_unk), R"(,"byte_fallback":)",
             flag(config_.byte_fallback), R"(,"ignore_merges":)", flag(config_.ignore_merges),
             R"(,"vocab":)", vocabulary_.to_json(), R"(,"merges":)", merges, "]}");
}

bool Bpe::add_bytes(std::string_view character, std::vector<Symbol>& symbols) const {
  for (const char byte : character) {
    if (!byte_tokens_[static_cast<unsigned char>(byte)]) return false;
  }
  for (const char byte : character) {
    symbols.push_back({*byte_tokens_[static_cast<unsigned char>(byte)], 1});
  }
  return true;
}

void Bpe::add_symbols(std::string_view piece, std::vector<Symbol>& symbols) const {
  std::optional<Symbol> unknown;  // characters that the vocabulary lacks, not added yet
  const auto flush = [&] {
    if (unknown) symbols.push_back(*unknown);
    unknown.reset();
  };
  std::string token;
  for_each_character(piece, [&](char32_t, size_t begin, size_t size) {
    token = begin > 0 ? config_.continuing_subword_prefix : "";
    token += piece.substr(begin, size);
    if (begin + size == piece.size()) token += config_.end_of_word_suffix;
    const auto width = static_cast<uint32_t>(size);
    if (const auto id = vocabulary_.id_of(token)) {
      flush();
      symbols.push_back({*id, width});
      return;
    }
    if (config_.byte_fallback && add_bytes(token, symbols)) return;
    if (!config_.unk_token) return;
    if (!unknown_) {
      raise<InvalidArgument>(
          {.what = str("the vocabulary has no unknown token '", *config_.unk_token, "'"),
           .hint = "set unk_token to a token of the vocabulary"});
    }
    if (unknown && config_.fuse_unk) {
      unknown->size += width;
    } else {
      flush();
      unknown = Symbol{*unknown_, width};
    }
  });
  flush();
}

void Bpe::merge(std::vector<Symbol>& symbols) const {
  static thread_local std::vector<Link> links;
  static thread_local std::vector<Candidate> queue;
  links.clear();
  for (const Symbol& symbol : symbols) {
    const auto at = static_cast<int64_t>(links.size());
    const bool last = at + 1 == static_cast<int64_t>(symbols.size());
    links.push_back({symbol.id, symbol.size, at - 1, last ? -1 : at + 1});
  }
  Merger merger(links, queue, merges_);
  if (config_.dropout && *config_.dropout > 0) {
    static thread_local std::mt19937 random{std::random_device{}()};
    std::bernoulli_distribution drop(*config_.dropout);
    merger.run([&] { return drop(random); });
  } else {
    merger.run([] { return false; });
  }
  symbols.clear();
  for (const Link& link : links) {
    if (link.size != 0) symbols.push_back({link.id, link.size});
  }
}

void Bpe::tokenize(std::string_view piece, std::vector<Token>& tokens) const {
  static thread_local std::vector<Symbol> symbols;
  symbols.clear();
  const bool whole = config_.ignore_merges && !(config_.dropout && *config_.dropout > 0);
  if (const auto id = whole ? vocabulary_.id_of(piece) : std::nullopt) {
    symbols.push_back({*id, static_cast<uint32_t>(piece.size())});
  } else {
    add_symbols(piece, symbols);
    merge(symbols);
  }
  uint32_t begin = 0;
  for (const auto& [id, size] : symbols) {
    tokens.push_back({id, {begin, begin + size}});
    begin += size;
  }
}

std::vector<int32_t> Bpe::byte_ids() const {
  if (!config_.continuing_subword_prefix.empty() || !config_.end_of_word_suffix.empty() ||
      config_.dropout.value_or(0) > 0) {
    return {};
  }
  std::vector<int32_t> ids;
  for (const char32_t c : byte_characters) {
    const auto id = vocabulary_.id_of(to_utf8(std::u32string(1, c)));
    if (!id) return {};
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace text
}  // namespace systolic::inline v0
