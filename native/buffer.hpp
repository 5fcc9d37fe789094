// A vector whose new elements have no value yet: memory that is never written is never taken from the system.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace prune4sed {

template <class T>
struct LeaveUnset : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = LeaveUnset<U>;
    };
    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
};

template <class T>
using Buffer = std::vector<T, LeaveUnset<T>>;

}  // namespace prune4sed
