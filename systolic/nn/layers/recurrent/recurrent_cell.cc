#include "systolic/nn/layers/recurrent/recurrent_cell.h"

#include <map>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/layers/recurrent/gru_cell.h"
#include "systolic/nn/layers/recurrent/lstm_cell.h"
#include "systolic/nn/layers/recurrent/simple_rnn_cell.h"
#include "systolic/nn/layers/recurrent/stacked_rnn_cells.h"

namespace systolic::inline v0 {

CellContext::CellContext(CallContext& context, std::string path)
    : context_(context), path_(std::move(path)) {}

bool CellContext::training() const { return context_.training(); }

Tensor CellContext::weight(std::string_view name, const Shape& shape, WeightOptions options) {
  const std::string full = path_.empty() ? std::string(name) : str(path_, "/", name);
  return context_.weight(full, shape, std::move(options));
}

Tensor CellContext::random_key() { return context_.random_key(); }

std::vector<NamedCell> cells_in(const RecurrentCell& cell, const std::string& outer) {
  const std::vector<RecurrentCell> stack = cell.stack();
  if (stack.empty()) return {{outer, cell}};
  std::vector<NamedCell> result;
  std::map<std::string, int> seen;
  for (const RecurrentCell& one : stack) {
    const std::string kind = snake_case(one.kind());
    const int turn = seen[kind]++;
    const std::string name = turn == 0 ? kind : str(kind, "_", turn);
    const auto inner = cells_in(one, outer.empty() ? name : str(outer, "/", name));
    result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

const RecurrentCell::Any& RecurrentCell::any() const {
  if (cell_ == nullptr) raise<FailedPrecondition>({.what = "a recurrent layer without a cell"});
  return *cell_;
}

namespace internal {

void raise_no_cell_config(const std::string& kind) {
  raise<Unimplemented>({.what = str("a cell of kind ", kind, " has no configuration"),
                        .hint = "give it a `static constexpr auto fields()`"});
}

}  // namespace internal

namespace {

using CellFromFields = RecurrentCell (*)(const Config& values);

template <class Spec>
RecurrentCell cell_from_fields(const Config& values) {
  return RecurrentCell(spec_from<Spec>(values));
}

struct CellRegistry {
  std::mutex mutex;
  std::map<std::string, CellFromFields> kinds = {
      {GRUCell::kind, cell_from_fields<GRUCell>},
      {LSTMCell::kind, cell_from_fields<LSTMCell>},
      {SimpleRNNCell::kind, cell_from_fields<SimpleRNNCell>},
      {StackedRNNCells::kind, cell_from_fields<StackedRNNCells>},
  };
};

CellRegistry& cell_registry() {
  static CellRegistry instance;
  return instance;
}

CellFromFields find_cell(const std::string& kind) {
  CellRegistry& known = cell_registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  const auto found = known.kinds.find(kind);
  if (found != known.kinds.end()) return found->second;
  raise<NotFound>({.what = str("no recurrent cell of kind '", kind, "'"),
                   .hint = "register_cell<YourCell>() makes a kind known"});
}

}  // namespace

void register_cell(std::string kind, RecurrentCell (*from_fields)(const Config& values)) {
  CellRegistry& known = cell_registry();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.kinds[std::move(kind)] = from_fields;
}

Config to_config(const RecurrentCell& cell) { return cell.config(); }

void from_config(const Config& config, RecurrentCell& cell) {
  cell = find_cell(config["class_name"].text_value())(config["config"]);
}

}  // namespace systolic::inline v0
