#include "systolic/text/pieces/word_labels.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr int32_t ignored = -100;

int32_t label_of(int32_t word, const std::vector<int32_t>& labels, SourceLocation location) {
  if (static_cast<size_t>(word) < labels.size()) return labels[static_cast<size_t>(word)];
  raise<InvalidArgument>({.what = str("align_labels: no label for word ", word),
                          .wanted = str("at most ", labels.size(), " words, one for each label"),
                          .location = location});
}

int32_t inside_of(int32_t label, const std::vector<int32_t>& inside) {
  const bool known = label >= 0 && static_cast<size_t>(label) < inside.size();
  return known ? inside[static_cast<size_t>(label)] : label;
}

}  // namespace

std::vector<int32_t> align_labels(const std::vector<int32_t>& word_ids,
                                  const std::vector<int32_t>& labels,
                                  const AlignLabelsOptions& options, SourceLocation location) {
  std::vector<int32_t> aligned;
  int32_t before = -1;
  for (const int32_t word : word_ids) {
    const int32_t label = word < 0 ? ignored : label_of(word, labels, location);
    const bool is_later = word >= 0 && word == before;
    aligned.push_back(!is_later                  ? label
                      : options.label_all_tokens ? inside_of(label, options.inside)
                                                 : ignored);
    before = word;
  }
  return aligned;
}

std::vector<int32_t> inside_labels(const std::vector<std::string>& names) {
  std::vector<int32_t> inside;
  for (size_t i = 0; i < names.size(); ++i) {
    inside.push_back(static_cast<int32_t>(i));
    if (!names[i].starts_with("B-")) continue;
    const auto found = std::ranges::find(names, "I-" + names[i].substr(2));
    if (found != names.end()) inside.back() = static_cast<int32_t>(found - names.begin());
  }
  return inside;
}

}  // namespace systolic::inline v0
