#include "boosting/predict.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "forest/descend.hpp"

namespace vaglio::boosting {

std::vector<double> predict_raw(const ForestView& forest, const ForestRows& rows, std::span<const double> values,
                                std::span<const double> start, std::size_t first_tree, std::size_t last_tree,
                                int threads, Control& control, const forest::RankedForest* ranked) {
    constexpr std::size_t block_rows = 1024;
    const std::size_t outputs = start.size(), blocks = (rows.rows + block_rows - 1) / block_rows;
    std::vector<double> raw(rows.rows * outputs);
    if (ranked && first_tree == 0 && last_tree == forest.n_trees()) {
        for (std::size_t i = 0; i < rows.rows; ++i) std::copy(start.begin(), start.end(), raw.data() + i * outputs);
        ranked->add(rows, values, 1, outputs, raw, threads, control);
        return raw;
    }
    parallel_for(threads, blocks, [&](std::size_t block, int) {
        const std::size_t first = block * block_rows, count = std::min(block_rows, rows.rows - first);
        forest::DenseBlock dense(rows);
        const double* x = dense.load(first, count);
        const std::size_t stride = dense.stride();
        const auto value = [=](std::size_t row, std::uint32_t feature) { return x[row * stride + feature]; };
        double* to = raw.data() + first * outputs;
        for (std::size_t i = 0; i < count; ++i) std::copy(start.begin(), start.end(), to + i * outputs);
        for (std::size_t t = first_tree; t < last_tree; ++t) {
            const ForestNode* tree = forest.tree(t);
            const std::size_t output = t % outputs;
            forest::descend(
                forest, tree, count, value, [](std::size_t row) { return row; },
                [&](std::size_t row, std::int32_t node) {
                    to[row * outputs + output] += values[static_cast<std::size_t>(~tree[node].link)];
                });
            control.check();
        }
    });
    return raw;
}

}  // namespace vaglio::boosting
