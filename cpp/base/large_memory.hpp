#pragma once
// Vectors of hundreds of megabytes that are written once: on huge pages, where the system has them, the first touch
// of memory costs a five-hundredth; and resize leaves new elements as they are instead of writing zeros first.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
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
        const std::size_t bytes = count * sizeof(T);
        void* memory = bytes < from_system ? std::malloc(bytes) : map(bytes);
        if (!memory) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        if (count * sizeof(T) < from_system)
            std::free(memory);
        else
            munmap(memory, rounded(count * sizeof(T)));
    }

    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }

    friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
    static constexpr std::size_t page = std::size_t{1} << 21;
    // Straight from the system and back: malloc would keep what a thread has freed for that thread alone.
    static constexpr std::size_t from_system = page;

    static std::size_t rounded(std::size_t bytes) { return (bytes + page - 1) / page * page; }

    // Whole huge pages: one more is asked for, and what lies before and behind the aligned part goes back.
    static void* map(std::size_t bytes) {
        const std::size_t wanted = rounded(bytes);
        void* all = mmap(nullptr, wanted + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) return nullptr;
        auto* first = static_cast<char*>(all);
        const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(all) % page) % page;
        if (before > 0) munmap(first, before);
        if (before < page) munmap(first + before + wanted, page - before);
#ifdef MADV_HUGEPAGE
        madvise(first + before, wanted, MADV_HUGEPAGE);  // a wish: it does not matter if it is refused
#endif
        return first + before;
    }
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
