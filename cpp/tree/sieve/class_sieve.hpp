#pragma once
// The sieve for any number of classes, by Gini or by entropy.
#include <cstdint>
#include <span>

#include "tree/split/context.hpp"

namespace vaglio {

void sieve_classes(const NodeContext& context, std::span<const std::uint32_t> features, SieveScratch& scratch,
                   std::span<Candidate> candidates);

}  // namespace vaglio
