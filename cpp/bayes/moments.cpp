// One pass over the rows in blocks of fixed size. Sums within a block are shifted by a value of the block, which keeps
// them accurate, and blocks are merged in order, which keeps the result the same for any number of threads.
#include "bayes/moments.hpp"

#include <algorithm>
#include <limits>

#include "base/parallel.hpp"
#include "bayes/loops.hpp"

namespace vaglio {
namespace {

constexpr std::size_t block_rows = 4096;  // few enough for accurate sums, many enough to make merging cheap
constexpr std::size_t tile_rows = 64;     // rows turned at a time: whole cache lines of every column
constexpr std::size_t max_groups = 64;    // more parts than a machine has processors
constexpr std::size_t max_group_cells = std::size_t{1} << 21;  // bounds the moments of all parts to 50 MB

// Sums of one block, each class and column shifted by the first value seen there: the shift lies among the
// values, so squares of what is left do not swamp the variance, however far from zero the column is.
struct BlockSums {
    std::size_t classes, columns;
    std::vector<double> shift, weight, sum, square;
    std::vector<char> open;  // a class with columns whose shift is still unknown

    BlockSums(std::size_t n_classes, std::size_t n_columns)
        : classes(n_classes),
          columns(n_columns),
          shift(n_classes * n_columns),
          weight(shift.size()),
          sum(shift.size()),
          square(shift.size()),
          open(n_classes) {}

    void clear() {
        std::fill(shift.begin(), shift.end(), std::numeric_limits<double>::quiet_NaN());
        std::fill(weight.begin(), weight.end(), 0.0);
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(square.begin(), square.end(), 0.0);
        std::fill(open.begin(), open.end(), char{1});
    }

    MomentCells cells(std::size_t label) {
        const std::size_t at = label * columns;
        return {shift.data() + at, weight.data() + at, sum.data() + at, square.data() + at};
    }

    void set_shift(std::size_t label, const double* row) {
        double* s = shift.data() + label * columns;
        bool missing = false;
        for (std::size_t j = 0; j < columns; ++j) {
            if (s[j] != s[j]) {
                s[j] = row[j];
                missing = missing || row[j] != row[j];
            }
        }
        open[label] = missing;
    }
};

const auto add_row = VAGLIO_LEVELS(add_row).best();

// Chan, Golub and LeVeque's update of (weight, mean, deviation) by another part.
inline void merge_cell(double& weight, double& mean, double& deviation, double weight2, double mean2,
                       double deviation2) {
    if (weight2 <= 0) return;
    const double total = weight + weight2;
    const double step = mean2 - mean;
    mean += step * (weight2 / total);
    deviation += deviation2 + step * step * (weight * weight2 / total);
    weight = total;
}

void flush(const BlockSums& block, Moments& into) {
    for (std::size_t i = 0; i < block.weight.size(); ++i) {
        const double w = block.weight[i];
        if (w <= 0) continue;
        const double offset = block.sum[i] / w;
        const double deviation = std::max(0.0, block.square[i] - block.sum[i] * offset);
        merge_cell(into.weight[i], into.mean[i], into.deviation[i], w, block.shift[i] + offset, deviation);
    }
}

class Pass {
 public:
    Pass(const StridedRows& x, const std::int64_t* label, const double* weight, std::size_t classes)
        : x_(x), label_(label), weight_(weight), block_(classes, x.columns) {
        if (x.column_stride != 1) tile_.resize(tile_rows * x.columns);
    }

    void add_block(std::size_t begin, std::size_t end, Moments& into) {
        block_.clear();
        for (std::size_t start = begin; start < end; start += tile_rows) {
            add_tile(start, std::min(end, start + tile_rows));
        }
        flush(block_, into);
    }

 private:
    void add_tile(std::size_t begin, std::size_t end) {
        const bool direct = x_.column_stride == 1;
        if (!direct) transpose(begin, end);
        for (std::size_t i = begin; i < end; ++i) {
            const double* row = direct ? x_.data + static_cast<std::ptrdiff_t>(i) * x_.row_stride
                                       : tile_.data() + (i - begin) * x_.columns;
            const auto label = static_cast<std::size_t>(label_[i]);
            if (block_.open[label]) block_.set_shift(label, row);
            add_row(row, weight_ ? weight_[i] : 1.0, x_.columns, block_.cells(label));
        }
    }

    void transpose(std::size_t begin, std::size_t end) {
        for (std::size_t j = 0; j < x_.columns; ++j) {
            for (std::size_t i = begin; i < end; ++i) tile_[(i - begin) * x_.columns + j] = x_.at(i, j);
        }
    }

    StridedRows x_;
    const std::int64_t* label_;
    const double* weight_;
    BlockSums block_;
    std::vector<double> tile_;
};

}  // namespace

Moments::Moments(std::size_t n_classes, std::size_t n_columns)
    : classes(n_classes),
      columns(n_columns),
      weight(n_classes * n_columns),
      mean(weight.size()),
      deviation(weight.size()) {}

void Moments::merge(const Moments& other) {
    for (std::size_t i = 0; i < weight.size(); ++i) {
        merge_cell(weight[i], mean[i], deviation[i], other.weight[i], other.mean[i], other.deviation[i]);
    }
}

Moments class_moments(const StridedRows& x, const std::int64_t* label, const double* weight, std::size_t classes,
                      int threads, const Control& control) {
    const std::size_t cells = std::max<std::size_t>(1, classes * x.columns);
    const std::size_t blocks = (x.rows + block_rows - 1) / block_rows;
    const std::size_t groups = std::min({blocks, max_groups, std::max<std::size_t>(1, max_group_cells / cells)});
    std::vector<Moments> parts(groups);
    parallel_for(threads, groups, [&](std::size_t group, int) {
        Moments part(classes, x.columns);
        Pass pass(x, label, weight, classes);
        for (std::size_t b = group * blocks / groups; b < (group + 1) * blocks / groups; ++b) {
            control.check();
            pass.add_block(b * block_rows, std::min(x.rows, (b + 1) * block_rows), part);
        }
        parts[group] = std::move(part);
    });
    Moments all(classes, x.columns);
    for (const Moments& part : parts) all.merge(part);
    return all;
}

}  // namespace vaglio
