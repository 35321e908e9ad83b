// Weights of a file against those of a model: what fits, what does not, and all set at once.
// Internal to train and saving.
//
//   WeightMatch match;
//   match.found(variable, {dtype, shape}, "dense/kernel", [&] { return file.read(i); });
//   match.missing("dense/bias");
//   match.assign(path, options, location);
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/train/model/model.h"
#include "systolic/train/weights/stored_arrays.h"

namespace systolic::inline v0 {

// What is done with an optimizer's state in a file.
enum class OptimizerPart { left, read_where_it_fits, read };

class WeightMatch {
 public:
  using Read = std::function<Literal()>;
  using Check = std::function<void()>;

  // The file has an array for the variable. One of another shape is a mismatch; other types of
  // numbers are converted. `check` finds damage as `read` does; without one that is read instead.
  void found(const Variable& variable, const ir::Type& stored, const std::string& name, Read read,
             Check check = {});
  void missing(std::string what) { lines_.push_back("missing: " + std::move(what)); }
  void unexpected(std::string what) { lines_.push_back("unexpected: " + std::move(what)); }
  void mismatched(std::string what) { mismatches_.push_back("mismatched: " + std::move(what)); }

  // Those of an optimizer. Where they do not fit they are left, with a warning, or listed as well.
  void add_optimizer(WeightMatch of_optimizer, OptimizerPart part, const std::string& path,
                     const std::string& name);
  bool fits() const { return lines_.empty() && mismatches_.empty(); }
  // What is missing and unexpected, a line each; how many variables the file has.
  const std::vector<std::string>& lines() const { return lines_; }
  size_t count() const { return found_.size(); }
  // Reads all before the first is set: a damaged file changes nothing. Large weights are read twice
  // for it, one array at a time. What is missing, unexpected or mismatched is one InvalidArgument
  // that lists it; with by_name the first two are no errors, with skip_mismatch the third is a
  // warning.
  void assign(const std::string& path, const LoadWeightsOptions& options,
              SourceLocation location) const;

 private:
  int64_t total_bytes() const;
  void set_at_once(SourceLocation location) const;
  void set_one_by_one(SourceLocation location) const;

  std::vector<std::string> lines_, mismatches_;
  struct Found {
    Variable variable;
    Read read;
    Check check;
  };
  std::vector<Found> found_;
};

// Arrays by the variables' paths: "dense/kernel".
WeightMatch match_by_name(const std::vector<NamedVariable>& variables, const StoredArrays& arrays);

}  // namespace systolic::inline v0
