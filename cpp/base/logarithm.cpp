// The table of n·log2(n) that all growers share. It is made once and only ever replaced by a larger one.
#include "base/logarithm.hpp"

#include <bit>
#include <mutex>

namespace vaglio {

LogTable::LogTable(std::size_t largest) : entries_(largest + 1) {
    for (std::size_t n = 1; n <= largest; ++n)
        entries_[n] = static_cast<std::int64_t>(xlog2x(static_cast<double>(n)) * scale + 0.5);
}

std::shared_ptr<const LogTable> log_table(std::size_t largest) {
    static std::mutex mutex;
    static std::shared_ptr<const LogTable> shared = std::make_shared<const LogTable>(1024);
    const std::lock_guard lock(mutex);
    if (shared->size() <= largest) shared = std::make_shared<const LogTable>(std::bit_ceil(largest + 1));
    return shared;
}

}  // namespace vaglio
