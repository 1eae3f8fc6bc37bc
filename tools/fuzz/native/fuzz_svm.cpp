// Kernel sums over any support vectors, as a prediction makes them, and the dual of any small problem: no promise but
// to end, within the arrays.
#include "input.hpp"
#include "svm/problems.hpp"

using namespace vaglio;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    vaglio_fuzz::Input input(data, size);
    const std::size_t n = 1 + input.below(40), d = 1 + input.below(5), m = 1 + input.below(5),
                      outputs = 1 + input.below(3);
    const KernelSpec spec{static_cast<KernelKind>(input.below(4)), input.number(true), input.number(true),
                          static_cast<int>(input.below(12))};
    const auto any = [&] { return input.number(true); };
    const auto vectors = input.list(n * d, any), asked = input.list(m * d, any), coef = input.list(n * outputs, any);
    std::vector<std::int64_t> starts{0};
    while (starts.back() < static_cast<std::int64_t>(n) && starts.size() < 6)
        starts.push_back(starts.back() +
                         static_cast<std::int64_t>(input.below(n + 1 - static_cast<std::size_t>(starts.back()))));
    starts.back() = static_cast<std::int64_t>(n);
    Control control;
    const DenseRows rows{asked.data(), m, d}, support{vectors.data(), n, d};
    const auto sums = kernel_sums(rows, support, spec, starts, coef.data(), outputs, input.flag(), 1, control);
    PROMISE(sums.size() == m * (starts.size() - 1) * outputs);
    PROMISE(kernel_matrix(rows, support, spec, 1, control).size() == m * n);

    std::vector<std::int32_t> index;
    std::vector<double> target, low, high;
    for (std::size_t i = 0; i < n; ++i) {
        index.push_back(static_cast<std::int32_t>(input.below(n)));
        target.push_back(input.flag() ? 1.0 : -1.0);
        low.push_back(input.flag() ? 0.0 : -input.weight());
        high.push_back(low.back() < 0 ? 0.0 : input.weight());
    }
    SvmOptions options;
    options.tolerance = 1e-3;
    options.max_steps = 300;
    options.working_set = static_cast<int>(2 + input.below(30));
    options.shrinking = input.flag();
    options.objective_limit = input.flag() ? 0 : 1e6;
    const std::vector<std::int64_t> one{0, static_cast<std::int64_t>(n)};
    const auto found = solve_features(support, spec, {index, one, target, low, high}, options, {1 << 20, 1}, control);
    PROMISE(found.size() == 1 && found[0].beta.size() == n && found[0].slope.size() == n);
    return 0;
}
