// Grams that need no kernel rows: a linear kernel (the slopes follow from the weight vector) and a given matrix.
#include <algorithm>
#include <vector>

#include "svm/gram.hpp"
#include "svm/packed.hpp"

namespace vaglio {
namespace {

class LinearGram final : public Gram<double> {
 public:
    LinearGram(const DenseRows& rows, std::span<const std::int32_t> index)
        : loops_(kernel_loops<double>()), store_(rows.values, index.size(), rows.d, index, {}), weights_(rows.d) {}

    std::size_t size() const override { return store_.n; }

    void keep(std::span<const std::int32_t> columns) override {
        panels_.pack(store_, columns, static_cast<std::size_t>(loops_.panel_width));
    }

    void square(std::span<const std::int32_t> rows, int stride, double* out) override {
        Packed<double> panels;
        panels.pack(store_, rows, static_cast<std::size_t>(loops_.panel_width));
        std::vector<double> line(panels.padded());
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::fill(line.begin(), line.end(), 0.0);
            project(store_.values.data() + static_cast<std::size_t>(rows[r]) * store_.d, panels, line.data());
            std::copy_n(line.begin(), rows.size(), out + r * stride);
        }
    }

    void add(std::span<const std::int32_t> rows, std::span<const double> coef, double* sum) override {
        std::fill(weights_.begin(), weights_.end(), 0.0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const double* row = store_.values.data() + static_cast<std::size_t>(rows[r]) * store_.d;
            for (std::size_t k = 0; k < store_.d; ++k) weights_[k] += coef[r] * row[k];
        }
        project(weights_.data(), panels_, sum);
    }

 private:
    // sum[c] += weights . packed row c: a panel is a small matrix whose rows are features.
    void project(const double* weights, const Packed<double>& panels, double* sum) const {
        for (std::size_t p = 0; p < panels.groups; ++p)
            loops_.add_rows(panels.group(p), loops_.panel_width, weights, static_cast<int>(store_.d),
                            sum + p * loops_.panel_width, loops_.panel_width);
    }

    const KernelLoops<double>& loops_;
    KernelRows<double> store_;
    Packed<double> panels_;
    std::vector<double> weights_;
};

class SparseLinearGram final : public Gram<double> {
 public:
    SparseLinearGram(const SparseRows& rows, std::span<const std::int32_t> index)
        : rows_(rows), index_(index.begin(), index.end()), weights_(rows.d, 0.0) {}

    std::size_t size() const override { return index_.size(); }

    void keep(std::span<const std::int32_t> columns) override { kept_.assign(columns.begin(), columns.end()); }

    void square(std::span<const std::int32_t> rows, int stride, double* out) override {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            scatter(rows[r], 1.0);
            for (std::size_t c = 0; c < rows.size(); ++c) out[r * stride + c] = dot(rows[c]);
            clear(rows[r]);
        }
    }

    void add(std::span<const std::int32_t> rows, std::span<const double> coef, double* sum) override {
        for (std::size_t r = 0; r < rows.size(); ++r) scatter(rows[r], coef[r]);
        for (std::size_t c = 0; c < kept_.size(); ++c) sum[c] += dot(kept_[c]);
        for (const std::int32_t row : rows) clear(row);
    }

 private:
    template <class Visit>
    void walk(std::int32_t row, Visit visit) const {
        const auto i = static_cast<std::size_t>(index_[row]);
        for (std::int64_t k = rows_.starts[i]; k < rows_.starts[i + 1]; ++k) visit(rows_.columns[k], rows_.values[k]);
    }
    void scatter(std::int32_t row, double factor) {
        walk(row, [&](std::int32_t column, double value) { weights_[column] += factor * value; });
    }
    void clear(std::int32_t row) {
        walk(row, [&](std::int32_t column, double) { weights_[column] = 0.0; });
    }
    double dot(std::int32_t row) const {
        double sum = 0;
        walk(row, [&](std::int32_t column, double value) { sum += value * weights_[column]; });
        return sum;
    }

    SparseRows rows_;
    std::vector<std::int32_t> index_, kept_;
    std::vector<double> weights_;
};

class MatrixGram final : public Gram<double> {
 public:
    MatrixGram(const double* matrix, std::size_t n, std::span<const std::int32_t> index)
        : matrix_(matrix), n_(n), index_(index.begin(), index.end()) {}

    std::size_t size() const override { return index_.size(); }

    void keep(std::span<const std::int32_t> columns) override {
        kept_.clear();
        for (const std::int32_t column : columns) kept_.push_back(index_[column]);
    }

    void square(std::span<const std::int32_t> rows, int stride, double* out) override {
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t c = 0; c < rows.size(); ++c) out[r * stride + c] = row(rows[r])[index_[rows[c]]];
    }

    void add(std::span<const std::int32_t> rows, std::span<const double> coef, double* sum) override {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const double* values = row(rows[r]);
            for (std::size_t c = 0; c < kept_.size(); ++c) sum[c] += coef[r] * values[kept_[c]];
        }
    }

 private:
    const double* row(std::int32_t i) const { return matrix_ + static_cast<std::size_t>(index_[i]) * n_; }

    const double* matrix_;
    std::size_t n_;
    std::vector<std::int32_t> index_, kept_;
};

}  // namespace

std::unique_ptr<Gram<double>> linear_gram(const DenseRows& rows, std::span<const std::int32_t> index) {
    return std::make_unique<LinearGram>(rows, index);
}
std::unique_ptr<Gram<double>> sparse_linear_gram(const SparseRows& rows, std::span<const std::int32_t> index) {
    return std::make_unique<SparseLinearGram>(rows, index);
}
std::unique_ptr<Gram<double>> matrix_gram(const double* matrix, std::size_t n, std::span<const std::int32_t> index) {
    return std::make_unique<MatrixGram>(matrix, n, index);
}

}  // namespace vaglio
