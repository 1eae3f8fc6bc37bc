// The perceptron's walk over dense rows, compiled per level (base/dispatch.hpp).
#include "linear/perceptron_loops.hpp"

#include "base/vectors.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

using Doubles = Vector<double>;
using Bits = VectorBits<double>;
constexpr int lanes = width<double>;
constexpr int parts = PerceptronWalk::block / lanes;  // vectors in a block

constexpr std::size_t ahead = 16;  // rows fetched before they are needed, so that they have arrived by then
constexpr unsigned together = 8;   // rows answered side by side while answers are right
constexpr Int64 sign_bit = INT64_MIN;

struct Block {
    Doubles part[parts];
};

VAGLIO_INLINE Block load_block(const double* from) {
    Block block;
#pragma GCC unroll 4
    for (int v = 0; v < parts; ++v) block.part[v] = load<Doubles>(from + v * lanes);
    return block;
}
VAGLIO_INLINE void store_block(double* to, const Block& block) {
#pragma GCC unroll 4
    for (int v = 0; v < parts; ++v) store(to + v * lanes, block.part[v]);
}

// Every lane exchanged with the one `distance` lanes away. The indices are written out where the compiler has a
// shuffle: it would put an index vector together anew for every row.
template <int distance>
VAGLIO_INLINE Doubles swapped(Doubles v) {
#if defined(VAGLIO_PLAIN_VECTORS) || !defined(__has_builtin)
    Doubles result;
    for (int i = 0; i < lanes; ++i) result[i] = v[i ^ distance];
    return result;
#elif !__has_builtin(__builtin_shufflevector)
    Doubles result;
    for (int i = 0; i < lanes; ++i) result[i] = v[i ^ distance];
    return result;
#elif VAGLIO_VECTOR_BYTES == 64
    return __builtin_shufflevector(v, v, 0 ^ distance, 1 ^ distance, 2 ^ distance, 3 ^ distance, 4 ^ distance,
                                   5 ^ distance, 6 ^ distance, 7 ^ distance);
#elif VAGLIO_VECTOR_BYTES == 32
    return __builtin_shufflevector(v, v, 0 ^ distance, 1 ^ distance, 2 ^ distance, 3 ^ distance);
#else
    return __builtin_shufflevector(v, v, 0 ^ distance, 1 ^ distance);
#endif
}

// The sum of eight numbers in every lane: the answer is needed as a vector, and never leaves the vector registers.
VAGLIO_INLINE Doubles spread_sum(const Block& block) {
    Doubles sum = block.part[0];
    if constexpr (parts == 2) sum = sum + block.part[1];
    if constexpr (parts == 4) sum = (block.part[0] + block.part[2]) + (block.part[1] + block.part[3]);
    if constexpr (lanes >= 8) sum += swapped<4>(sum);
    if constexpr (lanes >= 4) sum += swapped<2>(sum);
    sum += swapped<1>(sum);
    return sum;
}

// A row is answered and, if the answer is wrong, learned from, without a branch: wrong answers come too irregularly to
// be predicted, and a step of zero costs less than a step not foreseen. `fixed` blocks stay in registers; 0 is any
// number.
template <int outputs, int fixed>
class Walker {
 public:
    explicit Walker(const PerceptronWalk& walk) : walk_(walk), bias_moves_(Bits{} - walk.fit_bias) {
        for (int i = 0; i < PerceptronWalk::block; ++i)
            inside_.part[i / lanes][i % lanes] =
                (blocks() - 1) * PerceptronWalk::block + static_cast<std::size_t>(i) < walk.width ? -1 : 0;
    }

    void run() {
        Weights weights(walk_);
        Doubles threshold[outputs];
        Bits errors[outputs];
#pragma GCC unroll 4
        for (int k = 0; k < outputs; ++k) {
            threshold[k] = Doubles{} - walk_.bias[k];
            errors[k] = Bits{};
        }
        const std::size_t end = walk_.first + walk_.count;
        for (std::size_t t = walk_.first; t < end; ++t) {
            if constexpr (outputs == 1) {
                if (walk_.calm) t += count_right(t, end, weights, threshold[0]);
                if (t == end) break;
            }
            const std::size_t i = row_of(t);
            if (t + ahead < end) prefetch(row_of(t + ahead));
            const double step = walk_.sample_weight ? walk_.rate * walk_.sample_weight[i] : walk_.rate;
            visit(readable(i), walk_.labels[i] - walk_.wanted, step, weights, threshold, errors);
        }
        *walk_.doubt += doubt_[0];
        weights.store_to(walk_);
        for (int k = 0; k < outputs; ++k) {
            walk_.bias[k] = -threshold[k][0];
            walk_.errors[k] += errors[k][0];
        }
    }

 private:
    // Weights in registers, or where they lie.
    struct Weights {
        explicit Weights(const PerceptronWalk& walk) : all(walk.weights), blocks(walk.blocks) {
            if constexpr (fixed > 0)
#pragma GCC unroll 16
                for (int b = 0; b < outputs * fixed; ++b) held[b] = load_block(all + b * PerceptronWalk::block);
        }
        VAGLIO_INLINE Block get(int k, std::size_t b) const {
            if constexpr (fixed > 0) return held[static_cast<std::size_t>(k) * fixed + b];
            return load_block(all + (static_cast<std::size_t>(k) * blocks + b) * PerceptronWalk::block);
        }
        VAGLIO_INLINE void set(int k, std::size_t b, const Block& value) {
            if constexpr (fixed > 0)
                held[static_cast<std::size_t>(k) * fixed + b] = value;
            else
                store_block(all + (static_cast<std::size_t>(k) * blocks + b) * PerceptronWalk::block, value);
        }
        void store_to(const PerceptronWalk& walk) const {
            if constexpr (fixed > 0)
#pragma GCC unroll 16
                for (int b = 0; b < outputs * fixed; ++b)
                    store_block(walk.weights + b * PerceptronWalk::block, held[b]);
        }
        double* all;
        std::size_t blocks;
        Block held[fixed > 0 ? outputs * fixed : 1];
    };

    VAGLIO_INLINE std::size_t blocks() const { return fixed > 0 ? fixed : walk_.blocks; }

    VAGLIO_INLINE std::size_t row_of(std::size_t t) const {
        return walk_.order ? static_cast<std::size_t>(walk_.order[t]) : t;
    }
    // The processor foresees a stream of rows only up to the end of a page.
    VAGLIO_INLINE void prefetch(std::size_t i) const {
        const double* row = walk_.rows + i * walk_.width;
        for (std::size_t j = 0; j < walk_.width; j += PerceptronWalk::block) VAGLIO_PREFETCH(row + j);
    }

    const double* readable(std::size_t i) {
        const double* at = walk_.rows + i * walk_.width;
        if (i * walk_.width + blocks() * PerceptronWalk::block <= walk_.total) return at;
        for (std::size_t j = 0; j < blocks() * PerceptronWalk::block; ++j)
            walk_.spare[j] = j < walk_.width ? at[j] : 0.0;
        return walk_.spare;
    }

    // Block b of a row, zero beyond its width.
    VAGLIO_INLINE Block row_block(const double* row, std::size_t b) const {
        Block x = load_block(row + b * PerceptronWalk::block);
        if (b + 1 == blocks()) {
#pragma GCC unroll 4
            for (int v = 0; v < parts; ++v) x.part[v] = as_bits<Doubles>(as_bits<Bits>(x.part[v]) & inside_.part[v]);
        }
        return x;
    }

    // How many rows from t on are answered rightly, or are known to be. Weights that do not move need not be waited
    // for: several rows are answered side by side.
    VAGLIO_INLINE std::size_t count_right(std::size_t t, std::size_t end, const Weights& weights, Doubles threshold) {
        const std::size_t from = t;
        for (; t + together <= end; t += together) {
            Doubles doubt[together];
            unsigned wrong = 0;
#pragma GCC unroll 8
            for (unsigned r = 0; r < together; ++r) {
                const std::size_t i = row_of(t + r);
                const double* row = readable(i);
                Block sum[2] = {};
                each_block([&](std::size_t b) VAGLIO_INLINE_LAMBDA {
                    add_products(row_block(row, b), weights.get(0, b), sum[b % 2]);
                });
                const Doubles answer = total(sum);
                const Bits differs = (answer > threshold) ^ (Bits{} - (walk_.labels[i] == walk_.wanted));
                wrong |= (differs[0] != 0 ? 1u : 0u) << r;
                doubt[r] = answer * 0.0;
            }
            unsigned right = 0;
            for (; right < together && (wrong >> right & 1u) == 0; ++right) doubt_ += doubt[right];
            if (right < together) return t - from + right;
        }
        return t - from;
    }

    static VAGLIO_INLINE void add_products(const Block& x, const Block& w, Block& sum) {
#pragma GCC unroll 4
        for (int v = 0; v < parts; ++v) sum.part[v] += w.part[v] * x.part[v];
    }
    static VAGLIO_INLINE Doubles total(Block* sum) {
#pragma GCC unroll 4
        for (int v = 0; v < parts; ++v) sum[0].part[v] += sum[1].part[v];
        return spread_sum(sum[0]);
    }

    VAGLIO_INLINE void visit(const double* row, std::int32_t label, double step, Weights& weights, Doubles* threshold,
                             Bits* errors) {
        Block sum[outputs][2];  // even and odd blocks apart: two short chains of additions instead of a long one
#pragma GCC unroll 4
        for (int k = 0; k < outputs; ++k) sum[k][0] = sum[k][1] = Block{};
        each_block([&](std::size_t b) VAGLIO_INLINE_LAMBDA {
            const Block x = row_block(row, b);
#pragma GCC unroll 4
            for (int k = 0; k < outputs; ++k) add_products(x, weights.get(k, b), sum[k][b % 2]);
        });
#pragma GCC unroll 4
        for (int k = 0; k < outputs; ++k) {
            const Bits truth = Bits{} - (label == k);
            // w.x + b > 0 where w.x > -b: the comparison is exact, and needs no addition.
            const Doubles answer = total(sum[k]);
            const Bits wrong = (answer > threshold[k]) ^ truth;
            doubt_ += answer * 0.0;
            const Bits down = ~truth & sign_bit;
            const auto taken = as_bits<Doubles>((as_bits<Bits>(Doubles{} + step) ^ down) & wrong);
            errors[k] -= wrong;
            threshold[k] -= as_bits<Doubles>(as_bits<Bits>(taken) & bias_moves_);
            each_block([&](std::size_t b) VAGLIO_INLINE_LAMBDA {
                const Block x = row_block(row, b);
                Block w = weights.get(k, b);
#pragma GCC unroll 4
                for (int v = 0; v < parts; ++v) w.part[v] += taken * x.part[v];
                weights.set(k, b, w);
            });
        }
    }

    template <class Visit>
    VAGLIO_INLINE void each_block(Visit visit) const {
        if constexpr (fixed > 0) {
#pragma GCC unroll 4
            for (std::size_t b = 0; b < fixed; ++b) visit(b);
        } else {
            for (std::size_t b = 0; b < walk_.blocks; ++b) visit(b);
        }
    }

    struct BlockBits {
        Bits part[parts];
    };
    const PerceptronWalk walk_;
    BlockBits inside_;
    Bits bias_moves_;
    Doubles doubt_{};
};

template <int outputs>
void walk_outputs(const PerceptronWalk& walk) {
    switch (walk.blocks) {
        case 1:
            return Walker<outputs, 1>(walk).run();
        case 2:
            return Walker<outputs, 2>(walk).run();
        case 3:
            return Walker<outputs, 3>(walk).run();
        case 4:
            return Walker<outputs, 4>(walk).run();
        default:
            return Walker<outputs, 0>(walk).run();
    }
}

}  // namespace

void perceptron_walk(const PerceptronWalk& walk) {
    switch (walk.outputs) {
        case 1:
            return walk_outputs<1>(walk);
        case 2:
            return walk_outputs<2>(walk);
        case 3:
            return walk_outputs<3>(walk);
        default:
            return walk_outputs<4>(walk);
    }
}

}  // namespace vaglio::VAGLIO_LEVEL
