// Compiling a C++ callable: tf.function.
//
//   auto step = function([&](const Tensor& x) { return model(x) * 2; });
//   Tensor y = step(x);     // the first call traces and compiles; later ones run
//
// The callable runs once for each signature: the types and shapes of its Tensors, and the values of
// its other arguments (numbers, text). A number that changes makes a new trace: pass a Tensor
// (convert_to_tensor) to avoid that. What the callable captures by reference is read when it is
// traced: a captured number is a constant of the program. A retrace is logged with the argument
// that changed; see FunctionOptions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/trace/tensor_tree.h"

namespace systolic::inline v0 {

class Program;

struct FunctionOptions {
  std::string name = "function";
  // Traces again at every call and compares: a captured host value that changed since, which a
  // compiled program cannot notice, is an error that says so. For finding faults; slow.
  bool check_captures = false;
  SourceLocation location = SourceLocation::current();
};

// The part of Function that does not depend on the callable's type.
class FunctionPrograms {
 public:
  explicit FunctionPrograms(FunctionOptions options);
  ~FunctionPrograms();
  FunctionPrograms(const FunctionPrograms&) = delete;
  FunctionPrograms& operator=(const FunctionPrograms&) = delete;

  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  // Runs the program for these arguments, tracing `body` where there is none yet. `statics` stands
  // for the arguments that are no Tensors. Sets `entry` to the program's number, and `traced` when
  // it is new.
  std::vector<Tensor> call(const std::vector<Tensor>& arguments, const std::string& statics,
                           const Body& body, size_t& entry);
  // True inside another trace or under a tape: the callable then simply runs, as part of what is
  // being recorded.
  static bool runs_inline();
  size_t traces() const;

 private:
  struct Entry;
  Entry& find_or_trace(const std::vector<Tensor>& arguments, const std::string& statics,
                       const Body& body);
  void check_captures(const Entry& entry, const std::vector<Tensor>& arguments,
                      const Body& body) const;

  FunctionOptions options_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

// Text for a signature: numbers and text by value, everything else by identity.
template <class T>
std::string static_signature(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<const T&, std::string_view>) {
    return to_text(value);
  } else if constexpr (std::is_enum_v<T>) {
    return to_text(static_cast<int64_t>(value));
  } else {
    return to_text(reinterpret_cast<uintptr_t>(std::addressof(value)));
  }
}

// One argument of a call: a tree of Tensors is copied, so that the copy can hold symbolic ones;
// whatever else is passed on as it is.
template <class Arg>
class FunctionArgument {
 public:
  explicit FunctionArgument(Arg& argument) : held_(argument) {}

  void collect(std::vector<Tensor>& tensors, std::string& statics) {
    if constexpr (TensorTree<Arg>) {
      for (const Tensor& tensor : tensors_of(held_)) tensors.push_back(tensor);
      statics += 'T';
    } else {
      statics += static_signature(held_);
    }
    statics += ';';
  }
  void fill(const std::vector<Tensor>& symbolic, size_t& next) {
    if constexpr (TensorTree<Arg>)
      visit_tensors(held_, [&](Tensor& tensor) { tensor = symbolic.at(next++); });
  }
  auto& get() { return held_; }

 private:
  std::conditional_t<TensorTree<Arg>, std::remove_cvref_t<Arg>, Arg&> held_;
};

template <class Callable>
class Function {
 public:
  Function(Callable callable, FunctionOptions options)
      : state_(std::make_shared<State>(std::move(callable), std::move(options))) {}

  template <class... Args>
  auto operator()(Args&&... args) const {
    using Returned = std::invoke_result_t<Callable&, Args&...>;
    if (FunctionPrograms::runs_inline()) return static_cast<Returned>(state_->callable(args...));

    auto held = std::make_tuple(FunctionArgument<std::remove_reference_t<Args>>(args)...);
    std::vector<Tensor> tensors;
    std::string statics;
    std::apply([&](auto&... argument) { (argument.collect(tensors, statics), ...); }, held);
    using Result =
        std::conditional_t<std::is_void_v<Returned>, std::tuple<>, std::decay_t<Returned>>;
    std::shared_ptr<Result> traced;
    auto body = [&](const std::vector<Tensor>& symbolic) {
      size_t next = 0;
      std::apply([&](auto&... argument) { (argument.fill(symbolic, next), ...); }, held);
      traced = std::make_shared<Result>(std::apply(
          [&](auto&... argument) { return result_of<Result>(argument.get()...); }, held));
      return tensors_of(*traced);
    };
    Result result = finish<Result>(tensors, statics, body, traced);
    if constexpr (!std::is_void_v<Returned>) return result;
  }

  // How many programs were traced so far.
  size_t traces() const { return state_->programs.traces(); }

 private:
  struct State {
    State(Callable given, FunctionOptions options)
        : callable(std::move(given)), programs(std::move(options)) {}
    Callable callable;
    FunctionPrograms programs;
    std::map<size_t, std::shared_ptr<void>> results;  // what the callable returned, by program
  };

  // The callable's result; an empty tuple where it returns nothing.
  template <class Result, class... Args>
  Result result_of(Args&... args) const {
    if constexpr (std::is_void_v<std::invoke_result_t<Callable&, Args&...>>) {
      state_->callable(args...);
      return {};
    } else {
      return state_->callable(args...);
    }
  }

  template <class Result, class Body>
  Result finish(const std::vector<Tensor>& tensors, const std::string& statics, const Body& body,
                std::shared_ptr<Result>& traced) const {
    size_t entry = 0;
    const std::vector<Tensor> values = state_->programs.call(tensors, statics, body, entry);
    if (traced) state_->results[entry] = traced;
    Result result = *std::static_pointer_cast<Result>(state_->results.at(entry));
    replace_tensors(result, values);
    return result;
  }

  std::shared_ptr<State> state_;
};

template <class Callable>
auto function(Callable callable, FunctionOptions options = {}) {
  return Function<Callable>(std::move(callable), std::move(options));
}

}  // namespace systolic::inline v0
