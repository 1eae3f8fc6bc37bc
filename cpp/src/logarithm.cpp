#include "vaglio/logarithm.hpp"

#include <algorithm>
#include <mutex>

#include "vaglio/clones.hpp"

namespace vaglio {

VAGLIO_CLONES void xlog2x_all(double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const bool positive = x[i] > 1e-300;
        const double at = positive ? x[i] : 1.0;  // 1·log2(1) is 0
        x[i] = at * portable_log2(at);
    }
}

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
