#include "systolic/train/batches/sources_text.h"

#include <cstdio>

#include "systolic/data/node.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace {

void add_sources(const data::Node& node, std::string& text) {
  for (const data::Node* input : node.inputs()) add_sources(*input, text);
  const std::string origin = node.moved_origin();
  if (origin.empty()) return;
  constexpr size_t most_shown = 200;
  char checksum[12];
  std::snprintf(checksum, sizeof(checksum), "(%08x)", io::crc32c(origin));
  if (!text.empty()) text += ", ";
  text += origin.substr(0, most_shown) + (origin.size() > most_shown ? "... " : " ") + checksum;
}

}  // namespace

std::string text_of_sources(const data::Dataset& dataset) {
  std::string text;
  add_sources(*dataset.node(), text);
  return text;
}

}  // namespace systolic::inline v0
