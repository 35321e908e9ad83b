// What lies in each file of tests/formats/VERSION: the arrays, models and texts, by formulas, so
// that what was written and what must be read come from one place.
//
// The files of a version are written once, when it is tagged, and never again:
//
//   SYSTOLIC_WRITE_FORMATS=tests/formats/0.1.0 build/release/bin/formats_test
//
// Later versions read the folders of all (read_files_test.cc). A format that is new in a version is
// added here with the version from which on its folders have it.
#pragma once

#include <string>
#include <vector>

#include "systolic/systolic.h"

namespace systolic::formats {

// start, start + 0.25, ... : every number is exact in f32, f16 and text.
inline Literal counted(DType dtype, const Shape& shape, double start = 0) {
  Literal values(DType::f64, shape);
  for (int64_t i = 0; i < values.size(); ++i)
    values.mutable_data<double>()[i] = start + 0.25 * double(i);
  return values.convert(dtype);
}

// Arrays of several types and ranks, those that every format of arrays can hold.
inline Example arrays() {
  return {{"matrix", counted(DType::f32, {3, 4}, -1)},
          {"integers", Literal::of<int64_t>({1, -2, 1LL << 40})},
          {"bytes", Literal::of<uint8_t>({0, 127, 255})},
          {"half", counted(DType::f16, {2, 2})},
          {"scalar", Literal::scalar(0.5)}};
}

inline std::vector<std::string> texts() { return {"the cat sat", "the dog sat on the mat"}; }

// Three records, each with a number, a text and a vector.
inline Example record(int64_t i) {
  return {{"id", Literal::scalar(i)},
          {"text", Literal::scalar(texts()[size_t(i) % 2])},
          {"values", counted(DType::f32, {3}, double(i))}};
}
constexpr int64_t records = 3;

inline data::Dataset pipeline() {
  return data::from_tensor_slices(
      {{"x", counted(DType::f32, {4, 2})}, {"y", Literal::of<int32_t>({0, 1, 0, 1})}});
}

// A model whose weights are given, compiled with an optimizer that has slots.
inline Model model() {
  Model made = Sequential({Input{.shape = {3}}, Dense{.units = 4, .activation = "relu"},
                           BatchNormalization{}, Dense{.units = 2}});
  std::vector<Literal> weights;
  for (const Literal& weight : made.get_weights())
    weights.push_back(counted(DType::f32, weight.shape(), 0.25));
  made.set_weights(weights);
  made.compile({.optimizer = Adam{.learning_rate = 0.01},
                .loss = SparseCategoricalCrossentropy{.from_logits = true},
                .metrics = {"accuracy"}});
  return made;
}

struct Batches {
  Literal x = counted(DType::f32, {8, 3}, -3);
  Literal y = Literal::of<int32_t>({0, 1, 1, 0, 1, 0, 0, 1});
};

// Epochs that the runs whose backups lie in "run" and "steps" have ended; each has two steps.
constexpr int epochs_done = 2;
constexpr int steps_an_epoch = 2;

}  // namespace systolic::formats
