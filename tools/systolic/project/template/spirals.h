// The data: points of two spirals that wind about each other. Put your own in its place:
// data::tfrecords, datasets::load("mnist", ...), data::from_tensor_slices.
#pragma once

#include <systolic/systolic.h>

#include <cmath>
#include <random>
#include <vector>

// Elements: point f32 [2], which of the two spirals it is on, i32 [].
inline systolic::data::Dataset spirals(int points, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 0.02F);
  std::uniform_real_distribution<float> place(0.1F, 1);
  std::vector<float> inputs;
  std::vector<int32_t> labels;
  for (int i = 0; i < points; ++i) {
    const float distance = place(random);
    const float angle = 9 * distance + (i % 2 == 0 ? 0.0F : 3.14159265F);
    inputs.push_back(distance * std::cos(angle) + noise(random));
    inputs.push_back(distance * std::sin(angle) + noise(random));
    labels.push_back(i % 2);
  }
  using systolic::Literal;
  return systolic::data::from_tensor_slices(
      {Literal::from(inputs, {points, 2}), Literal::from(labels, {points})});
}
