#include "examples/cola/acceptability.h"

#include <filesystem>

#include "systolic/systolic.h"

namespace examples {
namespace {

using namespace systolic;

// CoLA's training sentences, and where they are said to be.
datasets::Table cola_table(const std::string& data) {
  if (data == "glue/cola") return datasets::load_dataset("glue", "cola")["train"];
  std::filesystem::path folder = data;
  if (!std::filesystem::is_directory(folder)) {
    io::File{data};  // NotFound, where it is nothing
    if (folder.filename() != "train.tsv") {
      raise<InvalidArgument>({.what = str("--data ", data),
                              .wanted = "CoLA's train.tsv, the folder with it, or glue/cola"});
    }
    folder = folder.has_parent_path() ? folder.parent_path() : ".";
  }
  return datasets::load_dataset("glue", "cola",
                                {.data_dir = folder.string(), .download = false})["train"];
}

LabelledTexts sentences_of(const datasets::Table& table, const std::string& data) {
  constexpr const char* wanted = "1 for acceptable sentences, 0 for others";
  const Literal& labels = table["label"].array();
  if (labels.dtype() != DType::i64) {
    raise<DataLoss>({.what = str(data, ": labels of which not all are integers, but ",
                                 to_string(labels.dtype())),
                     .wanted = wanted});
  }
  LabelledTexts read{.texts = table["sentence"].strings(), .labels = {}};
  for (int64_t row = 0; row < labels.size(); ++row) {
    const int64_t label = labels.integer_at(row);
    if (label != 0 && label != 1) {
      raise<DataLoss>(
          {.what = str(data, ": sentence ", row, " has the label ", label), .wanted = wanted});
    }
    read.labels.push_back(static_cast<int32_t>(label));
  }
  return read;
}

}  // namespace

AcceptabilityData acceptability_data(const std::string& source, int64_t count, uint64_t seed) {
  const bool drawn = source.empty();
  const LabelledTexts all =
      drawn ? draw_sentences(count, seed) : sentences_of(cola_table(source), source);
  AcceptabilityData data{.train = {}, .held_back = {}, .drawn = drawn};
  for (size_t i = 0; i < all.texts.size(); ++i) {
    // Drawn labels alternate: five of each are held back of a hundred.
    LabelledTexts& to = (data.drawn ? i / 2 : i) % 10 == 9 ? data.held_back : data.train;
    to.texts.push_back(all.texts[i]);
    to.labels.push_back(all.labels[i]);
  }
  if (data.held_back.texts.empty()) {
    raise<InvalidArgument>(
        {.what = str(drawn ? "drawn" : source, ": ", all.texts.size(), " sentences"),
         .wanted = str("at least ", drawn ? 20 : 10, ": a tenth of them is held back")});
  }
  return data;
}

}  // namespace examples
