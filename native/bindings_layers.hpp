// The layers' part of the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace prune4sed {

void bind_layers(nanobind::module_& m);
void bind_gradients(nanobind::module_& m);  // of layers

}  // namespace prune4sed
