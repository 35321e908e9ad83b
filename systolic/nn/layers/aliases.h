// Keras's other names for some layers: MaxPool2D is MaxPooling2D. Configurations have the longer
// ones.
#pragma once

#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/nn/layers/convolutional/separable_convolution.h"
#include "systolic/nn/layers/convolutional/transposed_convolution.h"
#include "systolic/nn/layers/pooling/global_pooling.h"
#include "systolic/nn/layers/pooling/pooling.h"

namespace systolic::inline v0 {

// Poolings and convolutions.
using AvgPool1D = AveragePooling1D;
using AvgPool2D = AveragePooling2D;
using AvgPool3D = AveragePooling3D;
using Convolution1D = Conv1D;
using Convolution1DTranspose = Conv1DTranspose;
using Convolution2D = Conv2D;
using Convolution2DTranspose = Conv2DTranspose;
using Convolution3D = Conv3D;
using Convolution3DTranspose = Conv3DTranspose;
using GlobalAvgPool1D = GlobalAveragePooling1D;
using GlobalAvgPool2D = GlobalAveragePooling2D;
using GlobalAvgPool3D = GlobalAveragePooling3D;
using GlobalMaxPool1D = GlobalMaxPooling1D;
using GlobalMaxPool2D = GlobalMaxPooling2D;
using GlobalMaxPool3D = GlobalMaxPooling3D;
using MaxPool1D = MaxPooling1D;
using MaxPool2D = MaxPooling2D;
using MaxPool3D = MaxPooling3D;
using SeparableConvolution1D = SeparableConv1D;
using SeparableConvolution2D = SeparableConv2D;

}  // namespace systolic::inline v0
