// Arrays from Python, and where to write to.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <span>

namespace prune4sed {

template <class T>
using Array = nanobind::ndarray<const T, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Written = nanobind::ndarray<T, nanobind::c_contig, nanobind::device::cpu>;

// An argument that is written to: an array of another kind would be copied first, and the copy written to.
inline auto into(const char* name) { return nanobind::arg(name).noconvert(); }

using Ints = Array<std::int32_t>;
using Longs = Array<std::int64_t>;
using Words = Array<std::uint64_t>;

template <class T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}
template <class T>
std::span<const T> view(const std::optional<Array<T>>& array) {
    return array ? view(*array) : std::span<const T>{};
}

// Whether Ctrl-C has not come: for long calls without the GIL.
inline bool no_signal() {
    const nanobind::gil_scoped_acquire gil;
    return PyErr_CheckSignals() == 0;
}

}  // namespace prune4sed
