// All of systolic/image: decoders, resizing, augmentation.
#pragma once

#include "systolic/image/affine.h"
#include "systolic/image/color.h"
#include "systolic/image/convert.h"
#include "systolic/image/crop.h"
#include "systolic/image/decode_jpeg.h"
#include "systolic/image/decode_png.h"
#include "systolic/image/enhance.h"
#include "systolic/image/flip.h"
#include "systolic/image/resize.h"
