// keras.ops: every function of it that a device can run, under Keras's name, in the namespace `ops`
// (docs/keras.md lists them, and why the others are not here).
//
//   Tensor y = ops::logsumexp(ops::einsum("bi,bj->bij", a, b), {.axis = -1});
//
// They are called by their full name, `ops::max(x)`: some have the name of an op of trace/ops and
// take more.
#pragma once

#include "systolic/ops/activations.h"
#include "systolic/ops/control.h"
#include "systolic/ops/creation.h"
#include "systolic/ops/elementwise.h"
#include "systolic/ops/fourier.h"
#include "systolic/ops/image.h"
#include "systolic/ops/linear.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/order.h"
#include "systolic/ops/patches.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/shapes.h"
