#pragma once
// How well intervals, normal densities and kernel densities of numeric columns predict rows that were kept out, fold
// by fold: what naive Bayes chooses among them by.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "bayes/class_counts.hpp"
#include "bayes/moments.hpp"

namespace vaglio {

struct KeptOutRows {
    StridedRows x;              // the columns whose likelihood is to be chosen
    const std::int64_t* label;  // in [0, classes)
    const double* weight;       // positive, or null when all are one
    std::size_t classes, folds;
    std::span<const std::int32_t> fold;  // of each row
    // What the other rows say without these columns: log P(c) of each fold [fold][class], and log P(c) with the
    // likelihood of all other columns [row][class].
    std::span<const double> log_prior, others;
    // Of each fold: whether another column was cut into intervals. If none is, columns without a cut are normal.
    std::span<const std::uint8_t> cut_elsewhere;
};

struct LikelihoodStrengths {
    double alpha;          // added to every count
    double var_smoothing;  // rows added to every variance
};

struct KeptOutLoss {
    double errors = 0, log_loss = 0;  // weighted sums over all rows
};

enum class Density : std::uint8_t { intervals, normal, kernel };

// The loss under each density; that of kernels is 0 unless they are asked for.
std::array<KeptOutLoss, 3> kept_out_losses(const KeptOutRows& rows, const LikelihoodStrengths& strengths, bool kernels,
                                           int threads, const Control& control);

}  // namespace vaglio
