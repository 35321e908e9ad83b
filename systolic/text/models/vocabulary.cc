#include <algorithm>

#include "systolic/text/models/model.h"

namespace systolic::inline v0 {
namespace text {

Vocabulary::Vocabulary(std::vector<std::pair<std::string, int32_t>> entries) {
  std::unordered_map<std::string, int32_t> unique;
  unique.reserve(entries.size());
  for (auto& [token, id] : entries) unique[std::move(token)] = id;
  entries_.assign(std::make_move_iterator(unique.begin()), std::make_move_iterator(unique.end()));
  std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  });
  ids_.reserve(entries_.size());
  const size_t dense_size = 4 * entries_.size() + 1024;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const auto& [token, id] = entries_[i];
    ids_.emplace(token, id);
    const auto at = static_cast<size_t>(id);
    if (at >= dense_size) {
      sparse_[id] = static_cast<int32_t>(i);
      continue;
    }
    if (at >= dense_.size()) dense_.resize(at + 1, -1);
    dense_[at] = static_cast<int32_t>(i);
  }
}

Vocabulary& Vocabulary::operator=(Vocabulary other) noexcept {
  entries_.swap(other.entries_);
  ids_.swap(other.ids_);
  dense_.swap(other.dense_);
  sparse_.swap(other.sparse_);
  return *this;
}

Vocabulary Vocabulary::from_json(const JsonView& json) {
  std::vector<std::pair<std::string, int32_t>> entries;
  json.for_each_member(
      [&](const std::string& token, const JsonView& id) { entries.emplace_back(token, id.id()); });
  return Vocabulary(std::move(entries));
}

std::optional<int32_t> Vocabulary::id_of(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::token_of(int32_t id) const {
  int32_t entry = -1;
  if (id >= 0 && static_cast<size_t>(id) < dense_.size()) {
    entry = dense_[static_cast<size_t>(id)];
  } else if (const auto found = sparse_.find(id); found != sparse_.end()) {
    entry = found->second;
  }
  return entry < 0 ? nullptr : &entries_[static_cast<size_t>(entry)].first;
}

std::string Vocabulary::to_json() const {
  std::string json = "{";
  for (const auto& [token, id] : entries_) {
    if (json.size() > 1) json += ",";
    json += json_quoted(token) + ":" + std::to_string(id);
  }
  return json + "}";
}

}  // namespace text
}  // namespace systolic::inline v0
