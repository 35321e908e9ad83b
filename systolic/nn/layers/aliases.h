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
// Means over the windows of a picture.
using AvgPool2D = AveragePooling2D;
// Means over the windows of a volume.
using AvgPool3D = AveragePooling3D;
// A convolution over the steps of a sequence.
using Convolution1D = Conv1D;
// One that makes a sequence longer.
using Convolution1DTranspose = Conv1DTranspose;
// A convolution over a picture.
using Convolution2D = Conv2D;
// One that makes a picture larger.
using Convolution2DTranspose = Conv2DTranspose;
// A convolution over a volume.
using Convolution3D = Conv3D;
// One that makes a volume larger.
using Convolution3DTranspose = Conv3DTranspose;
// The mean of each channel over all steps.
using GlobalAvgPool1D = GlobalAveragePooling1D;
// The mean of each channel over a picture.
using GlobalAvgPool2D = GlobalAveragePooling2D;
// The mean of each channel over a volume.
using GlobalAvgPool3D = GlobalAveragePooling3D;
// The largest element of each channel over all steps.
using GlobalMaxPool1D = GlobalMaxPooling1D;
// The largest element of each channel of a picture.
using GlobalMaxPool2D = GlobalMaxPooling2D;
// The largest element of each channel of a volume.
using GlobalMaxPool3D = GlobalMaxPooling3D;
// The largest elements of the windows of a sequence.
using MaxPool1D = MaxPooling1D;
using MaxPool2D = MaxPooling2D;
// The largest elements of the windows of a volume.
using MaxPool3D = MaxPooling3D;
// A depthwise convolution over steps, and a pointwise one after it.
using SeparableConvolution1D = SeparableConv1D;
// A depthwise convolution over a picture, and a pointwise one after it.
using SeparableConvolution2D = SeparableConv2D;

}  // namespace systolic::inline v0
