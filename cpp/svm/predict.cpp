// Kernel values between new rows and support vectors, tile by tile, multiplied by the coefficients while in cache.
#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "svm/packed.hpp"
#include "svm/problems.hpp"

namespace vaglio {
namespace {

std::vector<double> mean_of(const DenseRows& rows) {
    std::vector<double> mean(rows.d, 0.0);
    for (std::size_t i = 0; i < rows.n; ++i)
        for (std::size_t k = 0; k < rows.d; ++k) mean[k] += rows.row(i)[k] / static_cast<double>(rows.n);
    return mean;
}

// Support vectors of one group with their coefficients, padded with zeros to whole panels.
template <class T>
struct Group {
    Packed<T> panels;
    std::vector<T> coef;  // outputs x padded
};

template <class T>
std::vector<Group<T>> pack_groups(const KernelRows<T>& store, std::span<const std::int64_t> starts, const double* coef,
                                  std::size_t outputs) {
    std::vector<Group<T>> groups(starts.size() - 1);
    std::vector<std::int32_t> everything(store.n);
    std::iota(everything.begin(), everything.end(), 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto first = static_cast<std::size_t>(starts[g]);
        const auto count = static_cast<std::size_t>(starts[g + 1]) - first;
        groups[g].panels.pack(store, std::span<const std::int32_t>(everything).subspan(first, count),
                              static_cast<std::size_t>(kernel_loops<T>().panel_width));
        const std::size_t padded = groups[g].panels.padded();
        groups[g].coef.assign(outputs * padded, T{});
        for (std::size_t k = 0; k < outputs; ++k)
            for (std::size_t j = 0; j < count; ++j)
                groups[g].coef[k * padded + j] = static_cast<T>(coef[k * store.n + first + j]);
    }
    return groups;
}

// Calls visit(first row, number of rows, block) for blocks of rows, over the threads.
template <class T, class Visit>
void for_blocks(const DenseRows& rows, std::span<const double> centre, int threads, Control& control, Visit visit) {
    constexpr std::size_t rows_per_item = 240;  // a multiple of every block height: what a thread takes at a time
    const auto height = static_cast<std::size_t>(kernel_loops<T>().block_rows);
    const std::size_t items = (rows.n + rows_per_item - 1) / rows_per_item;
    parallel_for(threads, items, [&](std::size_t item, int) {
        control.check();
        const std::size_t first = item * rows_per_item, count = std::min(rows_per_item, rows.n - first);
        const KernelRows<T> store(rows.row(first), count, rows.d, {}, centre);
        std::vector<std::int32_t> local(count);
        std::iota(local.begin(), local.end(), 0);
        Packed<T> blocks;
        blocks.pack(store, std::span<const std::int32_t>(local), height);
        visit(first, count, blocks);
        control.advance(count);
    });
}

// Partial sums of this many panels are kept in the kernel's precision before they go to double.
constexpr std::size_t panels_per_flush = 32;

template <class T>
std::vector<double> sums_in(const DenseRows& rows, const DenseRows& vectors, const KernelSpec& spec,
                            std::span<const std::int64_t> starts, const double* coef, std::size_t outputs, int threads,
                            Control& control) {
    const auto& loops = kernel_loops<T>();
    const std::vector<double> centre = spec.kind == KernelKind::rbf ? mean_of(vectors) : std::vector<double>{};
    const KernelRows<T> store(vectors.values, vectors.n, vectors.d, {}, centre);
    const std::vector<Group<T>> groups = pack_groups(store, starts, coef, outputs);
    const auto height = static_cast<std::size_t>(loops.block_rows), width = static_cast<std::size_t>(loops.panel_width);
    std::vector<double> sums(rows.n * groups.size() * outputs, 0.0);
    const auto lanes = static_cast<std::size_t>(loops.lanes);
    for_blocks<T>(rows, centre, threads, control, [&](std::size_t first, std::size_t count, const Packed<T>& blocks) {
        std::vector<T> tile(height * width), local(blocks.padded() * outputs * lanes);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const Packed<T>& panels = groups[g].panels;
            for (std::size_t begin = 0; begin < panels.groups; begin += panels_per_flush) {
                std::fill(local.begin(), local.end(), T{});
                // A panel stays in the first-level cache while all blocks of rows pass over it.
                for (std::size_t p = begin; p < std::min(panels.groups, begin + panels_per_flush); ++p)
                    for (std::size_t b = 0; b < blocks.groups; ++b) {
                        loops.tile(spec, blocks.group(b), blocks.group_norms(b), panels.group(p), panels.group_norms(p),
                                   static_cast<int>(rows.d), tile.data());
                        loops.project(tile.data(), groups[g].coef.data() + p * width,
                                      static_cast<std::ptrdiff_t>(panels.padded()), static_cast<int>(outputs),
                                      local.data() + b * height * outputs * lanes);
                    }
                for (std::size_t r = 0; r < count; ++r)
                    for (std::size_t k = 0; k < outputs; ++k)
                        sums[((first + r) * groups.size() + g) * outputs + k] +=
                            std::accumulate(local.data() + (r * outputs + k) * lanes,
                                            local.data() + (r * outputs + k + 1) * lanes, 0.0);
            }
        }
    });
    return sums;
}

}  // namespace

std::vector<double> kernel_sums(const DenseRows& rows, const DenseRows& vectors, const KernelSpec& spec,
                                std::span<const std::int64_t> starts, const double* coef, std::size_t outputs,
                                bool single_precision, int threads, Control& control) {
    control.expect(rows.n);
    return single_precision ? sums_in<float>(rows, vectors, spec, starts, coef, outputs, threads, control)
                            : sums_in<double>(rows, vectors, spec, starts, coef, outputs, threads, control);
}

std::vector<double> kernel_matrix(const DenseRows& rows, const DenseRows& vectors, const KernelSpec& spec, int threads,
                                  Control& control) {
    const auto& loops = kernel_loops<double>();
    const std::vector<double> centre = spec.kind == KernelKind::rbf ? mean_of(vectors) : std::vector<double>{};
    const KernelRows<double> store(vectors.values, vectors.n, vectors.d, {}, centre);
    std::vector<std::int32_t> everything(vectors.n);
    std::iota(everything.begin(), everything.end(), 0);
    Packed<double> panels;
    panels.pack(store, std::span<const std::int32_t>(everything), static_cast<std::size_t>(loops.panel_width));
    const auto height = static_cast<std::size_t>(loops.block_rows), width = static_cast<std::size_t>(loops.panel_width);
    std::vector<double> out(rows.n * vectors.n);
    control.expect(rows.n);
    for_blocks<double>(rows, centre, threads, control,
                       [&](std::size_t first, std::size_t count, const Packed<double>& blocks) {
                           std::vector<double> tile(height * width);
                           for (std::size_t p = 0; p < panels.groups; ++p)
                               for (std::size_t b = 0; b < blocks.groups; ++b) {
                                   loops.tile(spec, blocks.group(b), blocks.group_norms(b), panels.group(p),
                                              panels.group_norms(p), static_cast<int>(rows.d), tile.data());
                                   const std::size_t columns = std::min(width, vectors.n - p * width);
                                   for (std::size_t r = b * height; r < std::min(count, (b + 1) * height); ++r)
                                       std::copy_n(tile.data() + (r - b * height) * width, columns,
                                                   out.data() + (first + r) * vectors.n + p * width);
                               }
                       });
    return out;
}

}  // namespace vaglio
