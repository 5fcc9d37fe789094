// Fingerprints of many graphs, and the bounds of one query to all of them, on many threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "batch.hpp"
#include "edit_bits.hpp"

namespace prune4sed {

// Asked every few milliseconds; false ends the work.
using GoOn = std::function<bool()>;

// Writes kFingerprintWords words per graph. The maps of the set hold positions in the tables of label hashes.
// False: stopped.
bool fingerprint_all(const GraphSetView& graphs, std::span<const std::uint64_t> label_hashes,
                     std::span<const std::uint64_t> edge_label_hashes, int threads, std::uint64_t* out,
                     const GoOn& go_on);

// Lower bounds, and bits that targets lack; of all targets, or of those at some positions. Sets of up to `most_edits`
// edits are tried.
bool bound_all(const EditBits& query, int most_edits, std::span<const std::uint64_t> fingerprints,
               std::span<const std::int64_t> positions, int threads, std::uint8_t* lower, std::uint16_t* missing,
               const GoOn& go_on);

}  // namespace prune4sed
