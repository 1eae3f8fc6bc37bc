#pragma once
// Rows laid out for KernelLoops: panels on one side, blocks on the other.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio {

// Rows in C order with their squared lengths. For a Gaussian kernel the rows are centred first: distances do not
// change, and the squared lengths that are added and subtracted to get them stay small.
template <class T>
struct KernelRows {
    std::size_t n = 0, d = 0;
    std::vector<T> values;
    std::vector<T> norms;

    KernelRows(const double* rows, std::size_t count, std::size_t width, std::span<const std::int32_t> index,
               std::span<const double> centre)
        : n(count), d(width), values(count * width), norms(count) {
        for (std::size_t i = 0; i < n; ++i) {
            const double* from = rows + (index.empty() ? i : static_cast<std::size_t>(index[i])) * d;
            T* to = values.data() + i * d;
            double norm = 0;
            for (std::size_t k = 0; k < d; ++k) {
                to[k] = static_cast<T>(from[k] - (centre.empty() ? 0.0 : centre[k]));
                norm += static_cast<double>(to[k]) * static_cast<double>(to[k]);
            }
            norms[i] = static_cast<T>(norm);
        }
    }
};

// Groups of `width` rows, feature by feature; the last group is filled up with zeros.
template <class T>
struct Packed {
    std::size_t groups = 0, width = 0, d = 0;
    std::vector<T> values;
    std::vector<T> norms;

    template <class Index>
    void pack(const KernelRows<T>& store, std::span<const Index> rows, std::size_t group_width) {
        width = group_width;
        d = store.d;
        groups = (rows.size() + width - 1) / width;
        values.assign(groups * width * d, T{});
        norms.assign(groups * width, T{});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const T* from = store.values.data() + static_cast<std::size_t>(rows[i]) * d;
            T* to = values.data() + (i / width) * width * d + i % width;
            for (std::size_t k = 0; k < d; ++k) to[k * width] = from[k];
            norms[i] = store.norms[static_cast<std::size_t>(rows[i])];
        }
    }
    const T* group(std::size_t g) const { return values.data() + g * width * d; }
    const T* group_norms(std::size_t g) const { return norms.data() + g * width; }
    std::size_t padded() const { return groups * width; }
};

}  // namespace vaglio
