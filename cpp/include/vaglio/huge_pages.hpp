#pragma once
// Vectors of hundreds of megabytes that are written once: on huge pages, where the system has them, the first touch
// of memory costs a five-hundredth; and resize leaves new elements as they are instead of writing zeros first.
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace vaglio {

template <class T>
struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U>&) {}

    T* allocate(std::size_t count) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t bytes = count * sizeof(T);
        void* memory =
            bytes < 2 * page ? std::malloc(bytes) : std::aligned_alloc(page, (bytes + page - 1) / page * page);
        if (!memory) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        if (bytes >= 2 * page) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: it does not matter if it is refused
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }

    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }

    friend bool operator==(const HugePages&, const HugePages&) { return true; }
};

template <class T>
using LargeVector = std::vector<T, HugePages<T>>;

// The same as a plain array of trivial elements, or none.
template <class T>
struct FreePages {
    void operator()(T* memory) const { HugePages<T>().deallocate(memory, 0); }
};
template <class T>
using LargeArray = std::unique_ptr<T[], FreePages<T>>;

template <class T>
LargeArray<T> make_large_array(std::size_t count) {
    return LargeArray<T>(HugePages<T>().allocate(count));
}

}  // namespace vaglio
