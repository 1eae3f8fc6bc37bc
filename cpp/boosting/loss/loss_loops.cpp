// Derivatives of the log loss for blocks of rows, compiled per level (base/dispatch.hpp).
#include "boosting/loss/loss_loops.hpp"

#include <bit>

#include "base/vectors.hpp"

namespace vaglio::boosting::VAGLIO_LEVEL {
namespace {

using namespace vaglio::VAGLIO_LEVEL;
using Real = Vector<double>;
constexpr int lanes = width<double>;

// Reads up to `count` numbers; lanes behind them hold zero.
VAGLIO_INLINE Real read(const double* from, std::size_t count) {
    if (count >= lanes) return load<Real>(from);
    Real value{};
    for (std::size_t i = 0; i < count; ++i) value[static_cast<int>(i)] = from[i];
    return value;
}
VAGLIO_INLINE void write(double* to, Real value, std::size_t count) {
    if (count >= lanes) {
        store(to, value);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) to[i] = value[static_cast<int>(i)];
}
VAGLIO_INLINE Pack<std::int32_t, lanes> nearest(Real x) {
    return convert<Pack<std::int32_t, lanes>>(x + choose(x < 0.0, Real{} - 0.5, Real{} + 0.5));
}

VAGLIO_INLINE void emit(const LossBlock& block, RowGradient* to, std::size_t first, std::size_t count, Real gradient,
                        Real hessian) {
    if (block.weight) {
        const Real weight = read(block.weight + first, count);
        gradient = gradient * weight;
        hessian = hessian * weight;
    }
    const auto g = nearest(gradient * block.gradient_factor), h = nearest(hessian * block.hessian_factor);
    if (std::endian::native == std::endian::little && count >= lanes) {
        // Both derivatives of a row are one word: a register of them is written at once.
        using Words = Pack<Int64, lanes>;
        store(to + first, (convert<Words>(h) << 32) | (convert<Words>(g) & Int64{0xFFFFFFFF}));
        return;
    }
    const int used = count < lanes ? static_cast<int>(count) : lanes;
    for (int lane = 0; lane < used; ++lane) to[first + lane] = {g[lane], static_cast<std::uint32_t>(h[lane])};
}

}  // namespace

void binomial_block(const LossBlock& block) {
    for (std::size_t i = 0; i < block.rows; i += lanes) {
        const std::size_t count = block.rows - i;
        const Real probability = 1.0 / (exponential<double>(-read(block.raw + i, count)) + 1.0);
        emit(block, block.to, i, count, probability - read(block.y + i, count), probability * (1.0 - probability));
    }
}

void multinomial_block(const LossBlock& block) {
    double* largest = block.scratch;
    double* total = largest + block.rows;
    double* power = total + block.rows;
    for (std::size_t i = 0; i < block.rows; i += lanes) {
        const std::size_t count = block.rows - i;
        Real top = read(block.raw + i, count);
        for (std::size_t k = 1; k < block.outputs; ++k)
            top = larger(top, read(block.raw + k * block.stride + i, count));
        write(largest + i, top, count);
        Real sum{};
        for (std::size_t k = 0; k < block.outputs; ++k) {
            const Real e = exponential<double>(read(block.raw + k * block.stride + i, count) - top);
            write(power + k * block.rows + i, e, count);
            sum += e;
        }
        write(total + i, sum, count);
    }
    for (std::size_t k = 0; k < block.outputs; ++k) {
        for (std::size_t i = 0; i < block.rows; i += lanes) {
            const std::size_t count = block.rows - i;
            const Real sum = choose(read(total + i, count) > 0.0, read(total + i, count), Real{} + 1.0);
            const Real probability = read(power + k * block.rows + i, count) / sum;
            const Real own = choose(read(block.y + i, count) == static_cast<double>(k), Real{} + 1.0, Real{});
            emit(block, block.to + k * block.stride, i, count, probability - own, probability * (1.0 - probability));
        }
    }
}

}  // namespace vaglio::boosting::VAGLIO_LEVEL
