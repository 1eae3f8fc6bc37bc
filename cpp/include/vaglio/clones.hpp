#pragma once
// VAGLIO_CLONES: compile a hot function once per x86-64 level and pick at load time. Only for functions whose result
// does not depend on the level: with contraction off, the same operations in the same order give the same bits.
// Sanitizers cannot run the resolvers, and other compilers or processors do without.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define VAGLIO_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define VAGLIO_CLONES
#endif
