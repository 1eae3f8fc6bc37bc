#include "bayes/joint/normal.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "bayes/joint/normal_loops.hpp"

namespace vaglio {
namespace {

constexpr std::size_t task_rows = 64 * normal_lanes;

const auto densities_of = VAGLIO_LEVELS(normal_densities).best();

// As many rows as are looked at together; lanes without a row repeat the last one.
class Group {
 public:
    Group(const StridedRows& x, const JointNormals& by)
        : x_(x), by_(by), values_(x.columns * normal_lanes), z_(values_.size()), sums_(values_.size()) {}

    void run(std::size_t begin, std::size_t count, bool steps, double* out) {
        const std::size_t p = by_.columns;
        for (std::size_t l = 0; l < normal_lanes; ++l) {
            const std::size_t row = begin + std::min(l, count - 1);
            for (std::size_t j = 0; j < p; ++j) values_[j * normal_lanes + l] = x_.at(row, j);
        }
        const std::size_t first = steps ? 0 : p - 1, kept = p - first;
        for (std::size_t m = 0; m < by_.count; ++m) {
            densities_of({p, &by_.mean[m * p], &by_.normaliser[m * p], &by_.factor[m * p * p]}, values_.data(),
                         z_.data(), sums_.data());
            for (std::size_t l = 0; l < count; ++l) {
                double* to = out + ((begin + l) * by_.count + m) * kept;
                for (std::size_t j = 0; j < kept; ++j) to[j] = sums_[(first + j) * normal_lanes + l];
            }
        }
    }

 private:
    const StridedRows& x_;
    const JointNormals& by_;
    std::vector<double> values_, z_, sums_;  // [column][lane]
};

}  // namespace

std::vector<double> joint_normal_densities(const StridedRows& x, const JointNormals& by, bool steps, int threads,
                                           const Control& control) {
    std::vector<double> found(x.rows * by.count * (steps ? by.columns : 1), 0.0);
    if (by.columns == 0) return found;
    parallel_for(threads, (x.rows + task_rows - 1) / task_rows, [&](std::size_t task, int) {
        control.check();
        Group group(x, by);
        const std::size_t end = std::min(x.rows, (task + 1) * task_rows);
        for (std::size_t i = task * task_rows; i < end; i += normal_lanes) {
            group.run(i, std::min(normal_lanes, end - i), steps, found.data());
        }
    });
    return found;
}

}  // namespace vaglio
