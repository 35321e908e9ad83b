#include "systolic/transformers/prepare_dataset.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/base/log.h"
#include "systolic/core/random_bits.h"
#include "systolic/data/transformations/length_buckets.h"
#include "systolic/train/model/model_access.h"
#include "systolic/transformers/pretrained_model.h"
#include "systolic/transformers/rows/masked_tokens.h"
#include "systolic/transformers/rows/tokenized_rows.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* known_inputs[] = {"input_ids", "token_type_ids", "attention_mask"};

void check(const PrepareOptions& options, SourceLocation location) {
  const std::tuple<const char*, int64_t, int64_t> least[] = {
      {"batch_size", options.batch_size, 1},
      {"pad_to_multiple_of", options.pad_to_multiple_of, 0},
      {"buckets", options.buckets, 0},
      {"max_length", options.max_length, 0}};
  for (const auto& [name, value, wanted] : least) {
    if (value >= wanted) continue;
    raise<InvalidArgument>({.what = str("prepare_dataset with ", name, " = ", value),
                            .wanted = str(wanted, " or more"),
                            .location = location});
  }
  const double masked = options.mlm_probability;
  if (!(masked >= 0 && masked <= 1)) {
    raise<InvalidArgument>({.what = str("prepare_dataset with mlm_probability = ", masked),
                            .wanted = "a share of the tokens, from 0 to 1",
                            .location = location});
  }
  if (masked > 0 && !options.label.empty()) {
    raise<InvalidArgument>(
        {.what = str("prepare_dataset with mlm_probability and the label '", options.label, "'"),
         .wanted = "one of them: with masks the tokens are the labels",
         .location = location});
  }
  for (const std::string& name : options.input_names) {
    if (std::find(std::begin(known_inputs), std::end(known_inputs), name) != std::end(known_inputs))
      continue;
    raise<InvalidArgument>(
        {.what =
             str("prepare_dataset: the model takes '", name, "', which a tokenizer does not make"),
         .wanted = join(known_inputs),
         .hint = "name the model's input like that, input({.name = \"input_ids\"}); "
                 "or name other inputs' arrays in a dataset of your own",
         .location = location});
  }
}

// How long batches become. Shared by the pipeline's stages.
struct Batches {
  TokenizedRows rows;
  std::vector<std::string> input_names;
  int64_t multiple = 1;
  int64_t most = 0;  // tokens that a batch may have; 0: any number
  std::optional<data::LengthBuckets> buckets;
  std::optional<MaskedTokens> masks;

  int64_t padded_length(int64_t longest) const {
    const int64_t rounded =
        buckets ? buckets->length_for(longest)
                : std::max<int64_t>(1, (longest + multiple - 1) / multiple) * multiple;
    // Texts of a model without a bound that are longer already are the model's to refuse.
    return most == 0 ? rounded : std::min(rounded, std::max({most, longest, int64_t{1}}));
  }
  int64_t padded_length(std::span<const int64_t> batch) const {
    int64_t longest = 0;
    for (const int64_t row : batch) longest = std::max(longest, rows.length(row));
    return padded_length(longest);
  }
  // By the rows' numbers and, where there are masks, a number to draw them by.
  Example make(const Example& element) const {
    const auto which = element.value(0).data<int64_t>();
    Example made = rows.batch(which, padded_length(which), input_names);
    if (masks) masks->apply(made, static_cast<uint64_t>(element.value(1).integer_at(0)));
    return made;
  }
};

// By other numbers than the order is, of the same seed.
data::RandomOptions drawing_of_masks(const PrepareOptions& options) {
  data::RandomOptions random{.rerandomize_each_iteration = true};
  if (options.seed) random.seed = splitmix64(*options.seed);
  return random;
}

data::Dataset pipeline(const std::shared_ptr<const Batches>& batches,
                       const PrepareOptions& options) {
  const int64_t count = batches->rows.size(), size = options.batch_size;
  data::Dataset rows = data::range(count);
  if (*options.shuffle) rows = rows.shuffle(count, {.seed = options.seed});
  const data::BatchOptions batching{.drop_remainder = options.drop_remainder};
  if (batches->buckets) {
    rows = rows.group_by_window(
        [batches](const Example& row) {
          return batches->padded_length(batches->rows.length(row["value"].integer_at(0)));
        },
        [size, batching](int64_t, const data::Dataset& window) {
          return window.batch(size, batching);
        },
        size);
  } else {
    rows = rows.batch(size, batching);
  }
  if (batches->masks) rows = data::zip({rows, data::random(drawing_of_masks(options))});
  return rows
      .map([batches](const Example& element) { return batches->make(element); },
           {.num_parallel_calls = data::autotune})
      .prefetch(data::autotune);
}

// Buckets put texts of like lengths together, whatever the order was.
void check_order(bool has_labels, SourceLocation location) {
  if (has_labels)
    return log_warning("prepare_dataset: with buckets the batches are not in the dataset's order");
  raise<InvalidArgument>(
      {.what = "prepare_dataset: buckets put texts of like lengths together, so that what is "
               "predicted would be next to other texts",
       .wanted = "no .buckets for texts without labels, or .shuffle = true",
       .location = location});
}

// What an epoch pads, in the dataset's order or in one that is drawn.
int64_t padded_by_multiples(const Batches& batches, const PrepareOptions& options) {
  std::vector<int64_t> order(static_cast<size_t>(batches.rows.size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  if (*options.shuffle)
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed.value_or(0)));
  int64_t padded = 0;
  for (size_t begin = 0; begin < order.size();) {
    const size_t size = std::min(order.size() - begin, static_cast<size_t>(options.batch_size));
    padded +=
        batches.padded_length(std::span(order).subspan(begin, size)) * static_cast<int64_t>(size);
    begin += size;
  }
  return padded;
}

int64_t padded_by_buckets(const Batches& batches, const std::vector<int64_t>& lengths) {
  int64_t padded = 0;
  for (const int64_t length : lengths) padded += batches.padded_length(length);
  return padded;
}

std::vector<int64_t> possible_lengths(const Batches& batches) {
  std::set<int64_t> lengths;
  for (const int64_t length : batches.rows.lengths()) lengths.insert(batches.padded_length(length));
  return {lengths.begin(), lengths.end()};
}

}  // namespace

double PreparedDataset::waste() const { return data::padding_share(tokens, padded_tokens); }

std::string to_string(const PreparedDataset& prepared) {
  const std::string cut =
      prepared.full == 0
          ? std::string()
          : str("; ", with_commas(prepared.full), prepared.full == 1 ? " has " : " have ",
                prepared.max_length, " tokens, where longer ones are cut");
  return str(with_commas(prepared.samples), prepared.samples == 1 ? " text, " : " texts, ",
             data::padding_text(prepared.lengths, prepared.tokens, prepared.padded_tokens), cut);
}

namespace {

// The smaller of two numbers of tokens, of which 0 says any.
int64_t fewer(int64_t a, int64_t b) { return a == 0 || b == 0 ? a + b : std::min(a, b); }

constexpr const char* types = "token_type_ids";

std::vector<std::string> input_names(const Model& model) {
  std::vector<std::string> names;
  for (const NetworkPort& port : model.network().input_ports()) names.push_back(port.name);
  return names;
}

bool can_do_without_types(const Model& model) {
  const std::vector<NetworkPort> ports = model.network().input_ports();
  return std::any_of(ports.begin(), ports.end(), [](const NetworkPort& port) {
    return port.name == types && port.rules.default_value;
  });
}

// Texts are cut; what was tokenized before is not.
void check_no_longer(const std::vector<int64_t>& lengths, int64_t most, const char* why,
                     SourceLocation location) {
  const auto longer = std::find_if(lengths.begin(), lengths.end(),
                                   [most](int64_t length) { return most > 0 && length > most; });
  if (longer == lengths.end()) return;
  raise<InvalidArgument>(
      {.what =
           str("prepare_dataset: sample ", longer - lengths.begin(), " has ", *longer, " tokens"),
       .wanted = str("at most ", most, ": ", why),
       .hint = str("tokenizer(texts, {.truncation = true, .max_length = ", most, "})"),
       .location = location});
}

// An input of a fixed length gets that and no other.
void fit_to_input(const Model& model, PrepareOptions& options) {
  const Shape shape = model.network().input_ports().front().type.shape;
  if (shape.rank() != 2 || shape[1] < 1 || options.max_length > 0) return;
  options.max_length = options.pad_to_multiple_of = shape[1];
}

void check_positions(int64_t max_length, int64_t most, SourceLocation location) {
  if (most == 0 || max_length <= most) return;
  raise<InvalidArgument>({.what = str("prepare_dataset: max_length = ", max_length),
                          .wanted = str("at most ", most, ": the model knows no more positions"),
                          .hint = "left out, texts are cut to what the model takes",
                          .location = location});
}

// The number of tokens that a model has vectors for, where it says so.
std::optional<int64_t> known_tokens(const Model& model) {
  for (const NetworkPort& port : model.network().input_ports()) {
    if (port.name == "input_ids") return port.rules.values_below;
  }
  return {};
}

// Ids that the model has no vector for: the device would clamp them.
class KnownTokens {
 public:
  KnownTokens(const Model& model, const Tokenizer& tokenizer, SourceLocation location)
      : tokenizer_(tokenizer), location_(location), below_(known_tokens(model)) {}

  void check(const TokenizedRows& rows, bool pads, const std::optional<MaskedTokens>& masks) const {
    if (!below_) return;
    if (masks) check("texts are masked with", masks->mask());
    for (int64_t row = 0; row < rows.size(); ++row) {
      for (const int32_t id : rows.ids(row)) check(str("sample ", row, " has"), id);
    }
    if (pads) check("texts are padded with", rows.padding_id());
  }

 private:
  void check(const std::string& who, int64_t id) const {
    if (id >= 0 && id < *below_) return;
    const auto size = static_cast<int64_t>(tokenizer_.vocab_size());
    const std::optional<std::string> token =
        id >= 0 && id < size ? tokenizer_.id_to_token(static_cast<int32_t>(id)) : std::nullopt;
    raise<InvalidArgument>(
        {.what = str("prepare_dataset: ", who, " the token ", id,
                     token ? str(" ('", excerpt(*token, 100), "')") : std::string()),
         .wanted = str("0 to ", *below_ - 1, ": the model knows ", *below_),
         .hint = str("prepare the data with the tokenizer that belongs to the model",
                     token ? str("; where tokens were added to that, "
                                 "model.resize_token_embeddings(",
                                 size, ")")
                           : ""),
         .location = location_});
  }

  const Tokenizer& tokenizer_;
  SourceLocation location_;
  std::optional<int64_t> below_ = {};  // ids must be
};

std::optional<MaskedTokens> masks_of(const Model* model, const Tokenizer& tokenizer,
                                     const PrepareOptions& options, SourceLocation location) {
  if (options.mlm_probability == 0) return {};
  MaskedTokensOptions masks{.probability = options.mlm_probability,
                            .mask_token = options.mask_token};
  if (model != nullptr) masks.vocabulary = known_tokens(*model).value_or(0);
  return MaskedTokens(tokenizer, masks, location);
}

// For a model that takes `most` tokens; 0: any number.
PreparedDataset prepare(const Model* model, const data::Dataset& dataset,
                        const Tokenizer& tokenizer, PrepareOptions options, int64_t most,
                        SourceLocation location) {
  if (model != nullptr) options.input_names = input_names(*model);
  check(options, location);
  const int64_t asked = options.max_length;
  if (options.pad_to_multiple_of == 0) options.pad_to_multiple_of = options.buckets > 0 ? 8 : 32;
  if (model != nullptr) fit_to_input(*model, options);
  check_positions(options.max_length, most, location);
  if (options.max_length == 0) options.max_length = fewer(tokenizer.model_max_length(), most);
  const auto batches =
      std::make_shared<Batches>(Batches{TokenizedRows(dataset, tokenizer, options, location),
                                        options.input_names,
                                        options.pad_to_multiple_of,
                                        fewer(options.max_length, most),
                                        {},
                                        masks_of(model, tokenizer, options, location)});
  if (model != nullptr && !batches->rows.has_types() && can_do_without_types(*model))
    std::erase(batches->input_names, types);
  const bool learns = batches->rows.has_labels() || batches->masks;
  if (!options.shuffle) options.shuffle = learns;
  if (options.buckets > 0 && !*options.shuffle) check_order(learns, location);
  const std::vector<int64_t> lengths = batches->rows.lengths();
  check_no_longer(lengths, most, "the model knows no more positions", location);
  check_no_longer(lengths, asked, "max_length, to which texts are cut and ids are not", location);
  if (options.buckets > 0) {
    batches->buckets = data::length_buckets(
        lengths, {.buckets = options.buckets, .multiple = options.pad_to_multiple_of}, location);
  }
  PreparedDataset prepared{.dataset = pipeline(batches, options),
                           .samples = static_cast<int64_t>(lengths.size()),
                           .in_order = !*options.shuffle && options.buckets == 0,
                           .lengths = possible_lengths(*batches),
                           .max_length = batches->rows.cuts() ? options.max_length : 0};
  prepared.tokens = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  if (prepared.max_length > 0) prepared.full = std::ranges::count(lengths, prepared.max_length);
  prepared.padded_tokens = batches->buckets ? padded_by_buckets(*batches, lengths)
                                            : padded_by_multiples(*batches, options);
  if (model != nullptr) {
    KnownTokens(*model, tokenizer, location)
        .check(batches->rows, prepared.padded_tokens > prepared.tokens, batches->masks);
    announce_lengths(*model, prepared.lengths);
  }
  log_info(str("prepare_dataset: ", to_string(prepared)));
  return prepared;
}

}  // namespace

PreparedDataset prepare_dataset(const data::Dataset& dataset, const Tokenizer& tokenizer,
                                PrepareOptions options, SourceLocation location) {
  return prepare(nullptr, dataset, tokenizer, std::move(options), 0, location);
}

PreparedDataset prepare_dataset(const Model& model, const data::Dataset& dataset,
                                const Tokenizer& tokenizer, PrepareOptions options,
                                SourceLocation location) {
  return prepare(&model, dataset, tokenizer, std::move(options), 0, location);
}

PreparedDataset prepare_dataset(const PretrainedModel& model, const data::Dataset& dataset,
                                const Tokenizer& tokenizer, PrepareOptions options,
                                SourceLocation location) {
  if (options.mlm_probability > 0 && model.task() != Task::masked_lm) {
    raise<InvalidArgument>(
        {.what = str("prepare_dataset with mlm_probability for a ", model.class_name()),
         .wanted = "a masked language model, such as BertForMaskedLM",
         .location = location});
  }
  return prepare(&model, dataset, tokenizer, std::move(options),
                 model.config().architecture().max_tokens(), location);
}

PreparedDataset PretrainedModel::prepare_dataset(const data::Dataset& dataset,
                                                 const Tokenizer& tokenizer, PrepareOptions options,
                                                 SourceLocation location) const {
  return v0::prepare_dataset(*this, dataset, tokenizer, std::move(options), location);
}

}  // namespace systolic::inline v0
