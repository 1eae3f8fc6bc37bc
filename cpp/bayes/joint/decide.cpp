#include "bayes/joint/decide.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace vaglio {
namespace {

constexpr std::size_t item_cells = std::size_t{1} << 15;

struct Top {
    std::size_t at;
    bool clear;
};

Top top_of(const double* row, std::size_t classes, double apart) {
    std::size_t at = 0;
    bool finite = true;
    for (std::size_t c = 0; c < classes; ++c) {
        if (row[c] > row[at]) at = c;
        finite = finite && std::isfinite(row[c]);
    }
    const double least = row[at] - apart;
    std::size_t near = 0;
    for (std::size_t c = 0; c < classes; ++c) near += row[c] > least;
    return {at, finite && near == 1};
}

}  // namespace

Decisions decide_rows(std::span<const double> joint, std::size_t classes, double apart, int threads,
                      const Control& control) {
    const std::size_t rows = joint.size() / classes, step = std::max<std::size_t>(1, item_cells / classes);
    const std::size_t items = (rows + step - 1) / step;
    Decisions found;
    found.code.resize(rows);
    std::vector<std::vector<std::int64_t>> close(items);
    parallel_for(threads, items, [&](std::size_t item, int) {
        control.check();
        for (std::size_t i = item * step; i < std::min(rows, (item + 1) * step); ++i) {
            const Top top = top_of(joint.data() + i * classes, classes, apart);
            found.code[i] = static_cast<std::int64_t>(top.at);
            if (!top.clear) close[item].push_back(static_cast<std::int64_t>(i));
        }
    });
    for (const auto& each : close) found.close.insert(found.close.end(), each.begin(), each.end());
    return found;
}

}  // namespace vaglio
