// All of systolic/torch in one include: PyTorch's names over systolic's ops.
#pragma once

#include "systolic/torch/autograd.h"
#include "systolic/torch/data/data_loader.h"
#include "systolic/torch/generator.h"
#include "systolic/torch/nn/activation.h"
#include "systolic/torch/nn/conv2d.h"
#include "systolic/torch/nn/dropout.h"
#include "systolic/torch/nn/embedding.h"
#include "systolic/torch/nn/init.h"
#include "systolic/torch/nn/linear.h"
#include "systolic/torch/nn/loss.h"
#include "systolic/torch/nn/normalization.h"
#include "systolic/torch/nn/pooling.h"
#include "systolic/torch/nn/sequential.h"
#include "systolic/torch/optim/adam.h"
#include "systolic/torch/optim/sgd.h"
#include "systolic/torch/serialization.h"
