// The search's part of the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace prune4sed {

void bind_search(nanobind::module_& m);

}  // namespace prune4sed
