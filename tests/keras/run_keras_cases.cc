// Computes what compare_with_keras.py drew: for each case of a folder the outputs of its model,
// their gradients, and what some steps of training make of the weights.
//
//   run_keras_cases FOLDER COUNT
//
// Case i is FOLDER/i.keras with FOLDER/i.npz: inputs x0, x1, ..., labels y, weights of the samples
// w if wanted, cotangents c0, ... of the outputs, and the number of `steps`. FOLDER/i.result.npz
// gets the outputs y0, ...; the gradients of sum(c y) by floating inputs, gx0, ..., and by
// trainable variables, gv0, ...; of each step the logs, log_NAME; and the weights after them, v0,
// .... What fails is FOLDER/i.error.
#include <fstream>
#include <iostream>

#include "systolic/systolic.h"

using namespace systolic;

namespace {

std::vector<Literal> numbered(const Example& data, const char* name) {
  std::vector<Literal> found;
  while (const Literal* one = data.find(str(name, found.size()))) found.push_back(*one);
  return found;
}

// The sum of all outputs times their cotangents.
Tensor target_of(const std::vector<Tensor>& outputs, const std::vector<Literal>& cotangents) {
  Tensor target = constant(0.f);
  for (size_t i = 0; i < outputs.size(); ++i)
    target = target + sum(cast(outputs[i], DType::f32) * Tensor(cotangents.at(i)));
  return target;
}

void add_outputs(const Model& model, const std::vector<Literal>& xs, const Example& data,
                 Example& result) {
  const std::vector<Literal> cotangents = numbered(data, "c");
  GradientTape tape({.persistent = true});
  std::vector<Tensor> inputs, watched;
  for (const Literal& x : xs) {
    inputs.emplace_back(x);
    if (!is_float(x.dtype())) continue;
    tape.watch(inputs.back());
    watched.push_back(inputs.back());
  }
  const std::vector<Tensor> outputs = model.network().outputs(inputs);
  for (size_t i = 0; i < outputs.size(); ++i)
    result.set(str("y", i), cast(outputs[i], DType::f32).literal());
  if (cotangents.empty()) return;
  const Tensor target = target_of(outputs, cotangents);
  const std::vector<Tensor> of_inputs = tape.gradient(target, watched),
                            of_variables = tape.gradient(target, model.trainable_variables());
  for (size_t i = 0; i < of_inputs.size(); ++i) result.set(str("gx", i), of_inputs[i].literal());
  for (size_t i = 0; i < of_variables.size(); ++i)
    result.set(str("gv", i), of_variables[i].literal());
}

void add_training(Model& model, const std::vector<Literal>& xs, const Example& data,
                  Example& result) {
  const int64_t steps = data["steps"].integer_at(0);
  if (steps == 0) return;
  OnBatchOptions options;
  if (const Literal* weights = data.find("w")) options.sample_weight = *weights;
  std::vector<std::pair<std::string, std::vector<float>>> logs;
  for (int64_t step = 0; step < steps; ++step) {
    const Logs of_step = model.train_on_batch(xs, data["y"], options);
    for (size_t i = 0; i < of_step.size(); ++i) {
      if (step == 0) logs.emplace_back(of_step[i].first, std::vector<float>{});
      logs[i].second.push_back(static_cast<float>(of_step[i].second));
    }
  }
  for (const auto& [name, values] : logs) {
    result.set(str("log_", name), Literal::from(std::span<const float>(values),
                                                {static_cast<int64_t>(values.size())}));
  }
  for (const auto& [name, value] : model.test_on_batch(xs, data["y"], options))
    result.set(str("test_", name), Literal::scalar(static_cast<float>(value)));
  const std::vector<Variable> variables = model.trainable_variables();
  for (size_t i = 0; i < variables.size(); ++i)
    result.set(str("v", i), variables[i].literal().convert(DType::f32));
}

void run_case(const std::string& place) {
  const Example data = io::read_npz(place + ".npz");
  Model model = load_model(place + ".keras");
  const std::vector<Literal> xs = numbered(data, "x");
  Example result;
  add_outputs(model, xs, data, result);
  add_training(model, xs, data, result);
  io::write_npz(place + ".result.npz", result);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: run_keras_cases FOLDER COUNT\n";
    return 2;
  }
  for (int i = 0; i < std::atoi(arguments[2]); ++i) {
    const std::string place = str(arguments[1], "/", i);
    try {
      run_case(place);
    } catch (const std::exception& error) {
      std::ofstream(place + ".error") << error.what() << "\n";
    }
  }
}
