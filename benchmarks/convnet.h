// The model of the MNIST guides that fit_convnet and custom_loop_step train.
#pragma once

#include "systolic/systolic.h"

namespace systolic {

inline Model convnet(int filters) {
  return Sequential({Input{.shape = {28, 28, 1}},
                     Conv2D{.filters = filters, .kernel_size = 3, .activation = "relu"},
                     Conv2D{.filters = filters, .kernel_size = 3, .activation = "relu"}, Flatten{},
                     Dense{.units = 256, .activation = "relu"},
                     Dense{.units = 128, .activation = "relu"}, Dense{.units = 10}});
}

}  // namespace systolic
