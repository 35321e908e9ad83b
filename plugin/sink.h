// jax.lax.dce_sink: what is computed for it alone is computed, though nobody reads it.
#pragma once

namespace systolic::inline v0 {
namespace plugin {

// Programs may now call "dce_sink", which takes any arrays and gives none.
void register_sink();

}  // namespace plugin
}  // namespace systolic::inline v0
