#include "systolic/datasets/tables/read_text.h"

#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace datasets {
namespace {

std::string with_line_feeds(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      result += '\n';
    }
  }
  return result;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> paragraphs_of(std::string_view text) {
  std::vector<std::string_view> paragraphs;
  for (;;) {
    const size_t end = std::min(text.find("\n\n"), text.size());
    if (end > 0) paragraphs.push_back(text.substr(0, end));
    if (end == text.size()) return paragraphs;
    text.remove_prefix(end + 2);
  }
}

}  // namespace

Literal read_text(std::string_view text, SampleBy sample_by) {
  const std::string content = with_line_feeds(text);
  const std::vector<std::string_view> rows = sample_by == SampleBy::line ? lines_of(content)
                                             : sample_by == SampleBy::paragraph
                                                 ? paragraphs_of(content)
                                                 : std::vector<std::string_view>{content};
  return Literal::strings(rows, Shape{static_cast<int64_t>(rows.size())});
}

}  // namespace datasets
}  // namespace systolic::inline v0
