#include "examples/cola/acceptability.h"

#include <filesystem>

#include "systolic/systolic.h"

namespace examples {
namespace {

using namespace systolic;

// "gj04\t1\t\tOur friends won't buy this." or "our friends wo n't buy this .\t1"
LabelledTexts read_sentences(const std::string& path) {
  LabelledTexts read;
  int64_t number = 0;
  for (const Example& line : data::text_lines({path})) {
    ++number;
    const std::vector<std::string> fields = split(line.only().string_at(0), '\t');
    const bool glue = fields.size() == 4;
    int64_t label = -1;
    if ((!glue && fields.size() != 2) || !parse_number(fields[1], label) || label < 0 ||
        label > 1) {
      raise<DataLoss>({.what = str(path, ":", number, ": ", fields.size(), " columns"),
                       .wanted = "a sentence and 0 or 1, or GLUE's four columns"});
    }
    read.texts.push_back(fields[glue ? 3 : 0]);
    read.labels.push_back(static_cast<int32_t>(label));
  }
  return read;
}

}  // namespace

AcceptabilityData acceptability_data(const std::string& path, int64_t count, uint64_t seed) {
  std::string file = path;
  if (std::filesystem::is_directory(path)) file += "/train.tsv";
  const LabelledTexts all = path.empty() ? draw_sentences(count, seed) : read_sentences(file);
  AcceptabilityData data{.train = {}, .held_back = {}, .drawn = path.empty()};
  for (size_t i = 0; i < all.texts.size(); ++i) {
    // Drawn labels alternate: five of each are held back of a hundred.
    LabelledTexts& to = (data.drawn ? i / 2 : i) % 10 == 9 ? data.held_back : data.train;
    to.texts.push_back(all.texts[i]);
    to.labels.push_back(all.labels[i]);
  }
  return data;
}

}  // namespace examples
