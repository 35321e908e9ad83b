# Expressions that must compile, and expressions that must not and whose message must hold the words that help.
# All the wrong ones are compiled at once; #line gives each a file name of its own in the compiler's messages.
set(wrong_source "")
set(names "")

function(wrong name expression wanted)
  string(APPEND wrong_source "#line 1 \"${name}\"\nauto made_${name}() { return ${expression}; }\n")
  set(wrong_source "${wrong_source}" PARENT_SCOPE)
  set(names "${names};${name}" PARENT_SCOPE)
  set(wanted_${name} "${wanted}" PARENT_SCOPE)
endfunction()

# A name that is not known: the message lists those that are.
wrong(activation [[Dense{.units = 1, .activation = "rleu"}]] "activation must be one of: linear relu")
wrong(padding [[Conv2D{.filters = 1, .kernel_size = 3, .padding = "smae"}]] "padding must be one of: valid same causal")
wrong(initializer [[Dense{.units = 1, .kernel_initializer = "glorot"}]] "initializer must be one of: zeros ones")
wrong(policy [[Dense{.units = 1, .dtype = "mixed_bfloat61"}]] "dtype policy must be one of: mixed_bfloat16")
wrong(mode [[RandomFlip{.mode = "sideways"}]] "mode must be one of: horizontal vertical")
wrong(loss [[CompileOptions{.loss = "mean_square_error"}]] "loss must be one of: categorical_crossentropy")
wrong(reduction [[Huber{.reduction = "average"}]] "reduction must be one of: sum_over_batch_size")
wrong(metric [[CompileOptions{.metrics = {"acuracy"}}]] "metric must be one of: accuracy")
wrong(curve [[AUC{.curve = "ROK"}]] "curve must be one of: ROC PR")
wrong(optimizer [[CompileOptions{.optimizer = "adaam"}]] "optimizer must be one of: sgd adam")
# A field that is not there, that is missing, or of another type.
wrong(field [[Dense{.unit = 3}]] "unit")
wrong(missing_units [[Dense{.activation = "relu"}]] "Required<long")
wrong(missing_kernel_size [[Conv2D{.filters = 3}]] "Required<.*Size2>")
wrong(fraction [[Dense{.units = 10.5}]] "Required<long|double")
# A layer whose call is not one.
wrong(not_const [[Layer([] { struct Scale { Tensor call(const Tensor& x, CallContext&) { return x; } }; return Scale{}; }())]] "a layer's call must read .Tensor call.const Tensor& x, CallContext& context. const")
wrong(no_context [[Layer([] { struct Scale { Tensor call(const Tensor& x) const { return x; } }; return Scale{}; }())]] "a layer's call must read")
# An argument of a `function` whose value cannot be told from another's.
wrong(unkeyable [[[] {
  struct Options { double rate = 1; };
  return function([](const Tensor& x, const Options& options) { return x * options.rate; })(Tensor(Literal::scalar(1.f)), Options{});
}()]] "neither a Tensor nor of a type whose values can be compared.*give it a friend `auto trace_key")

wrong(too_many_arguments [[function([](const Tensor& x) { return x; })(Tensor(Literal::scalar(1.f)), Tensor(Literal::scalar(2.f)))]]
      "what was given to `function` does not take these arguments")
# A view of an array that dies at the end of the line.
wrong(view_of_temporary [[Literal::of<float>({1, 2}).data<float>()]] "deleted")
wrong(text_of_temporary [[Literal::scalar("a").bytes()]] "deleted")

# What someone who comes from Python types first. The message of each, compiled alone, has at most `most_lines` lines,
# the chain of includes above it left out, and its first names the field, the function or the remedy.
set(most_lines 9)
set(short_names "")
function(short name expression wanted)
  set(short_names "${short_names};${name}" PARENT_SCOPE)
  set(short_${name} "#line 1 \"${name}\"\nauto made_${name}() { return ${expression}; }\n" PARENT_SCOPE)
  set(short_wanted_${name} "${wanted}" PARENT_SCOPE)
endfunction()

short(unknown_field [[Dense{.unit = 3}]] "'unit'")
short(order_of_fields [[Dense{.units = 1, .kernel_initializer = "zeros", .activation = "relu"}]] "activation")
short(order_of_compile [[CompileOptions{.loss = "mse", .optimizer = "adam"}]] "optimizer")
short(order_of_fit [[FitOptions{.validation_data = D(), .epochs = 2}]] "epochs")
short(order_of_callback [[EarlyStopping{.patience = 3, .monitor = "val_loss"}]] "monitor")
short(learning_rate [[Adam{.lr = 1e-3}]] "'lr'")
short(epochs_by_place [[M().fit(D(), 5)]] "deleted")
short(call_of_unnamed [[[] { Dense dense{.units = 1}; return dense(X()); }()]] "deleted")
short(map_of_tensor [[D().map([](Tensor x) { return x; })]] "where arrays are Literals")
short(map_that_is_wrong [[D().map([](const Example& e) { return e["x"].nothing(); })]] "'nothing'")
short(map_without_result [[D().map([](const Example&) {})]] "the function must return")
short(filter_of_number [[D().filter([](const Example&) { return std::string("x"); })]] "to 'bool'")
short(axis_of_argmax [[argmax(X(), {.axis = 1})]] "'int'")
short(axis_of_softmax [[softmax(X(), {.axis = 1})]] "'int'")
short(input_without_shape [[Input{28, 28, 1}]] "'int'")
short(size_of_text [[Dense{.units = "10"}]] "Required<long|units")
short(option_of_optimizer [[CompileOptions{.optimizer = Adam{.beta1 = 0.9}}]] "'beta1'")
short(size_of_pooling [[MaxPooling2D{.size = 2}]] "'size'")
short(patience_of_text [[EarlyStopping{.patience = "3"}]] "int|long")
short(dtype_of_zeros [[zeros({2, 3}, "float32")]] "DType")

set(right_source [[
struct Rate {
  double rate = 1;
  friend auto trace_key(const Rate& rate) { return rate.rate; }
};
auto made_keyed() {
  auto by_value = function([](const Tensor& x, const Rate& rate) { return x * rate.rate; });
  auto by_object = function([](const Tensor& x, std::shared_ptr<Rate> rate) { return x * rate->rate; });
  return by_value(Tensor(Literal::scalar(1.f)), Rate{}) + by_object(Tensor(Literal::scalar(1.f)), std::make_shared<Rate>());
}
// As Keras and NumPy write it.
auto made_as_in_python() {
  Model model = Sequential({Dense{.units = 1}});
  model.compile("adam", "mse");
  model.compile("adam", "mse", {"mae", AUC{}});
  return std::tuple(sum(X(), 1), mean(X(), -1), sum(X(), {.axis = 1}), max(X(), {.axis = {0, 1}, .keepdims = true}),
                    sum(X(), {}), squeeze(X(), 1), concatenate({X(), X()}, 1), cast(X(), "float32"), Variable(1.0f),
                    convert_to_tensor(A()), data::from_tensor_slices({A(), A(), A()}), D().batch(32, true));
}
auto made() {
  return std::tuple(Dense{.units = 10, .activation = "relu", .dtype = "mixed_bfloat16"},
                    Conv1D{.filters = 1, .kernel_size = 2, .padding = "causal"},
                    CompileOptions{.optimizer = "adam", .loss = "mse", .metrics = {"accuracy", AUC{.curve = "PR"}}},
                    Required<double>(0.5) == 0.5);
}
]])

# The headers are compiled once; each program begins with them.
file(WRITE "${FOLDER}/common.h" "#include \"systolic/data/dataset.h\"
#include \"systolic/nn/nn.h\"
#include \"systolic/trace/function/function.h\"
#include \"systolic/trace/ops/creation.h\"
#include \"systolic/trace/ops/elementwise.h\"
#include \"systolic/trace/ops/reduction.h\"
#include \"systolic/trace/ops/shape_ops.h\"
#include \"systolic/trace/variable.h\"
#include \"systolic/train/callbacks/early_stopping.h\"
#include \"systolic/train/model/model.h\"
using namespace systolic;
Literal A();
Tensor X();
data::Dataset D();
Model M();
")
file(REMOVE "${FOLDER}/common.h.gch")
execute_process(COMMAND ${COMPILER} --version OUTPUT_VARIABLE compiler_version)
if(compiler_version MATCHES "clang")
  set(short_names "")  # lines are counted for g++, whose header is compiled once: clang 14 crashes on its own
else()
  execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -x c++-header "${FOLDER}/common.h"
                          -o "${FOLDER}/common.h.gch" RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "the headers do not compile")
  endif()
endif()

function(compile name source result output)
  file(WRITE "${FOLDER}/${name}.cc" "${source}")
  execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -ftemplate-backtrace-limit=0 ${ARGN} -I${INCLUDE}
                          -include "${FOLDER}/common.h" "${FOLDER}/${name}.cc"
                  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} "${code}" PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

compile(right "${right_source}" result output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the right expressions do not compile:\n${output}")
endif()

compile(wrong "${wrong_source}" result output)
if(result EQUAL 0)
  message(FATAL_ERROR "the wrong expressions compile")
endif()
foreach(name IN LISTS names)
  if(name MATCHES "unkeyable|too_many_arguments" AND output MATCHES "${wanted_${name}}")
    continue()  # clang names the header that asserts, and not the expression
  endif()
  # g++ puts the error where the constructor throws, and the expression beside it.
  if(name AND NOT output MATCHES "(^|\n)${name}:")
    message(SEND_ERROR "${name} compiles, but must not")
  elseif(name AND NOT output MATCHES "${wanted_${name}}")
    message(SEND_ERROR "${name}: the compiler's message lacks '${wanted_${name}}':\n${output}")
  endif()
endforeach()

foreach(name IN LISTS short_names)
  if(NOT name)
    continue()
  endif()
  compile(${name} "${short_${name}}" result output)
  string(REGEX REPLACE "(^|\n)(In file included| +from )[^\n]*" "" text "${output}")
  string(STRIP "${text}" text)
  string(REGEX MATCHALL "\n" breaks "${text}")
  list(LENGTH breaks lines)
  math(EXPR lines "${lines} + 1")
  string(REGEX MATCH "[^\n]*error:[^\n]*" first "${text}")
  string(REGEX REPLACE "‘|’" "'" first "${first}")
  if(result EQUAL 0)
    message(SEND_ERROR "${name} compiles, but must not")
  elseif(lines GREATER most_lines)
    message(SEND_ERROR "${name}: the compiler's message has ${lines} lines, at most ${most_lines} are wanted:\n${text}")
  elseif(NOT first MATCHES "${short_wanted_${name}}")
    message(SEND_ERROR "${name}: the message's first line lacks '${short_wanted_${name}}':\n${text}")
  endif()
endforeach()
