#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "base/parallel.hpp"
#include "knn/neighbors.hpp"

namespace vaglio {

std::vector<double> count_votes(std::span<const std::int64_t> labels, std::span<const std::int64_t> rows,
                                std::size_t queries, std::size_t classes, int threads) {
    constexpr std::size_t part = 1024;  // queries per task
    const std::size_t k = queries > 0 ? rows.size() / queries : 0;
    std::vector<double> votes(queries * classes, 0.0);
    std::atomic<bool> sound = true;
    parallel_for(threads, (queries + part - 1) / part, [&](std::size_t p, int) {
        for (std::size_t q = p * part; q < std::min((p + 1) * part, queries); ++q) {
            for (std::size_t i = q * k; i < (q + 1) * k; ++i) {
                // A negative number is a very large one without its sign.
                const auto row = static_cast<std::size_t>(rows[i]);
                const std::size_t label = row < labels.size() ? static_cast<std::size_t>(labels[row]) : classes;
                if (label < classes) {
                    votes[q * classes + label] += 1;
                } else {
                    sound = false;
                }
            }
        }
    });
    if (!sound) throw std::invalid_argument("a row or a label is out of range");
    return votes;
}

}  // namespace vaglio
