#include "vaglio/perceptron_ops.hpp"

namespace vaglio {

namespace v1 {
void perceptron_walk(const PerceptronWalk&);
}
#ifdef VAGLIO_X86_LEVELS
namespace v3 {
void perceptron_walk(const PerceptronWalk&);
}
namespace v4 {
void perceptron_walk(const PerceptronWalk&);
}
#endif

namespace {

PerceptronOp choose() {
#ifdef VAGLIO_X86_LEVELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        return v4::perceptron_walk;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return v3::perceptron_walk;
#endif
    return v1::perceptron_walk;
}

}  // namespace

PerceptronOp perceptron_op() {
    static const PerceptronOp chosen = choose();
    return chosen;
}

}  // namespace vaglio
