#include "systolic/train/weights/weight_match.h"

#include <iterator>
#include <map>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"

namespace systolic::inline v0 {
namespace {

// Numbers that wait on the host at a time, so that a model is limited by its device's memory alone.
constexpr int64_t most_bytes_at_once = int64_t{256} << 20;

Literal in_type_of(const Variable& variable, Literal value) {
  return value.dtype() == variable.dtype() ? value : value.convert(variable.dtype());
}

}  // namespace

void WeightMatch::found(const Variable& variable, const ir::Type& stored, const std::string& name,
                        Read read, Check check) {
  if (stored.shape == variable.shape() && stored.dtype != DType::string) {
    if (!check) check = read;
    found_.push_back({variable, std::move(read), std::move(check)});
    return;
  }
  mismatched(str(name, " is ", to_string(stored), " in the file, ", variable.name(), " ",
                 to_string(ir::Type{variable.dtype(), variable.shape()}), " in the model"));
}

void WeightMatch::add_optimizer(WeightMatch of_optimizer, OptimizerPart part,
                                const std::string& path, const std::string& name) {
  if (part == OptimizerPart::read_where_it_fits && !of_optimizer.fits()) {
    publish_warning(str("load_weights: the state of the optimizer in ", path, " is not that of an ",
                        name, " with its options; the weights alone are loaded."));
    return;
  }
  std::move(of_optimizer.found_.begin(), of_optimizer.found_.end(), std::back_inserter(found_));
  for (auto [from, to] : {std::pair(&of_optimizer.lines_, &lines_),
                          std::pair(&of_optimizer.mismatches_, &mismatches_)})
    to->insert(to->end(), from->begin(), from->end());
}

void WeightMatch::assign(const std::string& path, const LoadWeightsOptions& options,
                         SourceLocation location) const {
  std::vector<std::string> wrong = options.by_name ? std::vector<std::string>{} : lines_;
  if (!options.skip_mismatch) wrong.insert(wrong.end(), mismatches_.begin(), mismatches_.end());
  if (!wrong.empty()) {
    raise<InvalidArgument>(
        {.what = str("the weights in ", path, " do not fit the model; nothing was loaded:\n  ",
                     join(wrong, "\n  ")),
         .hint = "build the model with the layers and sizes with which the file was written",
         .location = location});
  }
  total_bytes() <= most_bytes_at_once ? set_at_once(location) : set_one_by_one(location);
  if (!mismatches_.empty()) {
    publish_warning(
        str("load_weights: of ", path, " were skipped:\n  ", join(mismatches_, "\n  ")));
  }
}

int64_t WeightMatch::total_bytes() const {
  int64_t bytes = 0;
  for (const Found& one : found_)
    bytes += ir::Type{one.variable.dtype(), one.variable.shape()}.bytes();
  return bytes;
}

void WeightMatch::set_at_once(SourceLocation location) const {
  std::vector<Literal> values;
  for (const Found& one : found_) values.push_back(in_type_of(one.variable, one.read()));
  for (size_t i = 0; i < values.size(); ++i) found_[i].variable.set(values[i], location);
}

void WeightMatch::set_one_by_one(SourceLocation location) const {
  for (const Found& one : found_) one.check();
  for (const Found& one : found_) one.variable.set(in_type_of(one.variable, one.read()), location);
}

WeightMatch match_by_name(const std::vector<NamedVariable>& variables, const StoredArrays& arrays) {
  WeightMatch match;
  std::map<std::string_view, const StoredArray*> left;
  for (const StoredArray& one : arrays) left[one.name] = &one;
  for (const NamedVariable& weight : variables) {
    const auto stored = left.find(weight.path);
    if (stored == left.end()) {
      match.missing(weight.path);
      continue;
    }
    match.found(weight.variable, stored->second->type, weight.path, stored->second->read,
                stored->second->check);
    left.erase(stored);
  }
  for (const StoredArray& one : arrays) {
    if (left.count(one.name) != 0) match.unexpected(one.name);
  }
  return match;
}

}  // namespace systolic::inline v0
