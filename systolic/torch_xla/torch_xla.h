// All of systolic/torch_xla in one include, with systolic/torch: xmp, xm, xr, pl, xser, met,
// accelerate.
#pragma once

#include "systolic/torch/torch.h"
#include "systolic/torch_xla/accelerate.h"
#include "systolic/torch_xla/met.h"
#include "systolic/torch_xla/pl.h"
#include "systolic/torch_xla/sync.h"
#include "systolic/torch_xla/xm.h"
#include "systolic/torch_xla/xmp.h"
#include "systolic/torch_xla/xser.h"
