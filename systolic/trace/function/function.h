// Compiling a C++ callable: tf.function.
//
//   auto step = function([&](const Tensor& x) { return model(x) * 2; });
//   Tensor y = step(x);     // the first call traces and compiles; later ones run
//
// The callable runs once for each signature: the types and shapes of its Tensors, and the values of
// its other arguments (trace_key.h says what can be one). A number that changes causes a new trace:
// pass a Tensor (convert_to_tensor) to avoid that. Thread-safe where the callable is. What the
// callable captures by reference is read when it is traced: a captured number is a constant of the
// program. Every program after the first is logged: the argument that changed, from what to what,
// the line of the call, how many there are. strict_shapes makes those for other shapes an error.
// run_functions_eagerly(true) runs callables op by op, for finding faults.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/trace/function/argument_note.h"
#include "systolic/trace/function/matmul_precision.h"
#include "systolic/trace/function/tensor_tree.h"
#include "systolic/trace/function/trace_key.h"

namespace systolic::inline v0 {

class Program;

struct FunctionOptions {
  std::string name = "function";  // of the program, in profiles and errors
  // Traces again at every call and compares: a captured host value that has changed, which a
  // compiled program cannot notice, is an error that says so. For debugging; slow.
  bool check_captures = false;
  // Tensors whose shape or type differs from an earlier call's, with all else the same, are a
  // FailedPrecondition that names them, instead of another compilation.
  bool strict_shapes = false;
  // The precision of f32 products, where the function is a program of its own (matmul_precision.h).
  MatmulPrecision matmul_precision = "auto";
  SourceLocation location = SourceLocation::current();  // the caller's line, for errors
};

// From now on every `function` just calls its callable: in it, values can be read, branched on and
// printed (tf.config.run_functions_eagerly). Slow.
void run_functions_eagerly(bool on);
bool functions_run_eagerly();

// From now on FunctionOptions::strict_shapes and CompileOptions::strict_shapes apply everywhere.
void set_strict_shapes(bool on);
bool strict_shapes();

// The part of Function that does not depend on the callable's type.
class FunctionPrograms {
 public:
  explicit FunctionPrograms(FunctionOptions options);
  ~FunctionPrograms();
  FunctionPrograms(const FunctionPrograms&) = delete;
  FunctionPrograms& operator=(const FunctionPrograms&) = delete;

  // What the callable returned while it was traced, and the Tensors in it.
  struct Traced {
    std::vector<Tensor> tensors;
    std::shared_ptr<const void> returned;
  };
  using Body = std::function<Traced(const std::vector<Tensor>&)>;
  struct Call {
    const std::vector<Tensor>& arguments;
    TraceKey statics;  // stands for the arguments that are no Tensors
    const Body& body;
    std::function<std::vector<ArgumentNote>()> notes;  // asked for where a program is made
    SourceLocation location;
  };
  // Runs the program for these arguments, tracing `body` where there is no program yet. Returns the
  // values, and what the program's trace returned.
  Traced call(Call call);
  // True inside another trace, under a tape, and after run_functions_eagerly(true): the callable
  // then simply runs, as part of what is being recorded.
  static bool runs_inline();
  size_t traces() const;

 private:
  struct Entry;
  struct Found {
    Entry& entry;
    bool is_new;
  };
  Found find_or_trace(Call& call);
  void report_another_program(const Entry& entry, SourceLocation location) const;
  void check_captures(const Entry& entry, const Call& call) const;

  FunctionOptions options_;
  mutable std::recursive_mutex mutex_;  // of entries_: a callable may ask for traces()
  std::vector<std::unique_ptr<Entry>> entries_;
};

// One argument of a call: a tree of Tensors is copied, so that the copy can hold symbolic ones;
// anything else is passed on as it is.
template <class Arg>
class FunctionArgument {
 public:
  explicit FunctionArgument(Arg& argument) : held_(argument) {}

  void collect(std::vector<Tensor>& tensors, TraceKey& statics) {
    using Value = std::remove_cvref_t<Arg>;
    if constexpr (TensorTree<Arg>)
      for (const Tensor& tensor : tensors_of(held_)) tensors.push_back(tensor);
    statics.add_type<Value>();
    statics.add<Value>(held_);
  }
  void fill(const std::vector<Tensor>& symbolic, size_t& next) {
    if constexpr (TensorTree<Arg>)
      visit_tensors(held_, [&](Tensor& tensor) { tensor = symbolic.at(next++); });
  }
  auto& get() { return held_; }
  ArgumentNote note() { return note_of<std::remove_cvref_t<Arg>>(held_); }

 private:
  std::conditional_t<TensorTree<Arg>, std::remove_cvref_t<Arg>, Arg&> held_;
};

template <class Callable>
class Function {
 public:
  Function(Callable callable, FunctionOptions options)
      : state_(std::make_shared<State>(std::move(callable), std::move(options))) {}
  // A handle that was moved from keeps its state: moving copies.
  Function(const Function&) = default;
  Function& operator=(const Function&) = default;

  // Calls of up to six arguments know the line that they are on; after a parameter pack a default
  // argument is not possible.
  auto operator()(SourceLocation at = SourceLocation::current()) const { return call(at); }
  template <class A>
  auto operator()(A&& a, SourceLocation at = SourceLocation::current()) const {
    return call(at, a);
  }
  template <class A, class B>
  auto operator()(A&& a, B&& b, SourceLocation at = SourceLocation::current()) const {
    return call(at, a, b);
  }
  template <class A, class B, class C>
  auto operator()(A&& a, B&& b, C&& c, SourceLocation at = SourceLocation::current()) const {
    return call(at, a, b, c);
  }
  template <class A, class B, class C, class D>
  auto operator()(A&& a, B&& b, C&& c, D&& d, SourceLocation at = SourceLocation::current()) const {
    return call(at, a, b, c, d);
  }
  template <class A, class B, class C, class D, class E>
  auto operator()(A&& a, B&& b, C&& c, D&& d, E&& e,
                  SourceLocation at = SourceLocation::current()) const {
    return call(at, a, b, c, d, e);
  }
  template <class A, class B, class C, class D, class E, class F>
  auto operator()(A&& a, B&& b, C&& c, D&& d, E&& e, F&& f,
                  SourceLocation at = SourceLocation::current()) const {
    return call(at, a, b, c, d, e, f);
  }
  template <class A, class B, class C, class D, class E, class F, class G, class... More>
  auto operator()(A&& a, B&& b, C&& c, D&& d, E&& e, F&& f, G&& g, More&&... more) const {
    return call(SourceLocation(), a, b, c, d, e, f, g, more...);
  }

  // How many programs were traced so far.
  size_t traces() const { return state_->programs.traces(); }

 private:
  struct State {
    State(Callable given, FunctionOptions options)
        : callable(std::move(given)), programs(std::move(options)) {}
    Callable callable;
    FunctionPrograms programs;
  };

  template <class... Args>
  auto call(SourceLocation location, Args&... args) const {
    constexpr bool takes_them = std::is_invocable_v<Callable&, Args&...>;
    static_assert(takes_them,
                  "what was given to `function` does not take these arguments: compare their "
                  "number and types with its parameters");
    if constexpr (takes_them) return call_with(location, args...);
  }

  template <class... Args>
  auto call_with(SourceLocation location, Args&... args) const {
    using Returned = std::invoke_result_t<Callable&, Args&...>;
    if (FunctionPrograms::runs_inline()) return static_cast<Returned>(state_->callable(args...));

    auto held = std::make_tuple(FunctionArgument<Args>(args)...);
    using Result =
        std::conditional_t<std::is_void_v<Returned>, std::tuple<>, std::decay_t<Returned>>;
    std::vector<Tensor> tensors;
    TraceKey statics;
    statics.add_type<Result>();
    std::apply([&](auto&... argument) { (argument.collect(tensors, statics), ...); }, held);
    const FunctionPrograms::Body body =
        [&](const std::vector<Tensor>& symbolic) -> FunctionPrograms::Traced {
      size_t next = 0;
      std::apply([&](auto&... argument) { (argument.fill(symbolic, next), ...); }, held);
      const auto returned = std::make_shared<Result>(std::apply(
          [&](auto&... argument) { return result_of<Result>(argument.get()...); }, held));
      return {tensors_of(*returned), returned};
    };
    const auto notes = [&] {
      return std::apply(
          [](auto&... argument) { return std::vector<ArgumentNote>{argument.note()...}; }, held);
    };
    const FunctionPrograms::Traced run =
        state_->programs.call({tensors, std::move(statics), body, notes, location});
    Result result = *std::static_pointer_cast<const Result>(run.returned);
    replace_tensors(result, run.tensors);
    if constexpr (!std::is_void_v<Returned>) return result;
  }

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

  std::shared_ptr<State> state_;
};

template <class Callable>
auto function(Callable callable, FunctionOptions options = {}) {
  return Function<Callable>(std::move(callable), std::move(options));
}

}  // namespace systolic::inline v0
