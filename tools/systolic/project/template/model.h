// The model, and how it is trained.
#pragma once

#include <systolic/systolic.h>

inline systolic::Model new_model() {
  using namespace systolic;
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 64, .activation = "relu"},
                            Dense{.units = 64, .activation = "relu"}, Dense{.units = 2}});
  model.compile({.optimizer = Adam{.learning_rate = 0.01},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"accuracy"}});
  return model;
}
