#pragma once
// Vectors of hundreds of megabytes that are written once. On Linux they lie on huge pages, where the first touch of
// memory costs a five-hundredth, and they come from the system and go back to it: malloc would keep what a thread has
// freed for that thread alone. On all systems resize leaves new elements as they are instead of writing zeros first.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace vaglio {

#ifdef __linux__

constexpr std::size_t huge_page = std::size_t{1} << 21;  // of x86-64, and the usual one of arm64

constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

// Less than one huge page is left to malloc.
inline void* allocate_bytes(std::size_t bytes) {
    if (bytes < huge_page) return std::malloc(bytes);
    // One page more than needed is asked for; the parts before and behind the aligned pages go back.
    const std::size_t wanted = whole_pages(bytes);
    void* all = mmap(nullptr, wanted + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    auto* first = static_cast<char*>(all);
    const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(all) % huge_page) % huge_page;
    if (before > 0) munmap(first, before);
    if (before < huge_page) munmap(first + before + wanted, huge_page - before);
#ifdef MADV_HUGEPAGE
    madvise(first + before, wanted, MADV_HUGEPAGE);  // a wish: it does not matter if the system refuses it
#endif
    return first + before;
}

inline void free_bytes(void* memory, std::size_t bytes) {
    if (bytes < huge_page) {
        std::free(memory);
    } else {
        munmap(memory, whole_pages(bytes));
    }
}

#else

inline void* allocate_bytes(std::size_t bytes) { return std::malloc(bytes); }
inline void free_bytes(void* memory, std::size_t) { std::free(memory); }

#endif

// The allocator of the vectors.
template <class T>
struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <class U>
    HugePages(const HugePages<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert

    T* allocate(std::size_t count) {
        void* memory = allocate_bytes(count * sizeof(T));
        if (!memory) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) { free_bytes(memory, count * sizeof(T)); }

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
    std::size_t count = 0;
    void operator()(T* memory) const { HugePages<T>().deallocate(memory, count); }
};
template <class T>
using LargeArray = std::unique_ptr<T[], FreePages<T>>;

template <class T>
LargeArray<T> make_large_array(std::size_t count) {
    return LargeArray<T>(HugePages<T>().allocate(count), FreePages<T>{count});
}

}  // namespace vaglio
