// All of systolic/image: decoders, resizing, augmentation.
#pragma once

#include "systolic/image/affine.h"
#include "systolic/image/color.h"
#include "systolic/image/convert.h"
#include "systolic/image/crop.h"
#include "systolic/image/decode_bmp.h"
#include "systolic/image/decode_gif.h"
#include "systolic/image/decode_image.h"
#include "systolic/image/decode_jpeg.h"
#include "systolic/image/decode_png.h"
#include "systolic/image/decode_webp.h"
#include "systolic/image/enhance.h"
#include "systolic/image/flip.h"
#include "systolic/image/mix.h"
#include "systolic/image/rand_augment.h"
#include "systolic/image/random.h"
#include "systolic/image/resize.h"
