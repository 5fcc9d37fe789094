#include "edit_bits.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "hot.hpp"

namespace prune4sed {
namespace {

constexpr int kMostWords = 64;  // of sets of one size
constexpr std::int64_t kMostPiecesInAll = 5'000'000;  // about a third of a second

// The query after some edits: numbers below that of its nodes open a node, the others drop an edge.
HashedGraph edited(const HashedGraph& query, std::span<const int> edits) {
    HashedGraph left;
    const int n = static_cast<int>(query.labels.size());
    left.labels = query.labels;
    for (const int edit : edits)
        if (edit < n) left.labels[edit] = kAnyLabel;
    for (int e = 0; e < static_cast<int>(query.edges.size()); ++e) {
        if (std::find(edits.begin(), edits.end(), n + e) != edits.end()) continue;
        left.edges.push_back(query.edges[e]);
        left.edge_labels.push_back(query.edge_labels[e]);
    }
    return left;
}

// The next choice of numbers below `count` in ascending order; false after the last.
bool advance(std::vector<int>& chosen, int count) {
    const int size = static_cast<int>(chosen.size());
    int at = size - 1;
    while (at >= 0 && chosen[at] == count - size + at) --at;
    if (at < 0) return false;
    ++chosen[at];
    for (int i = at + 1; i < size; ++i) chosen[i] = chosen[i - 1] + 1;
    return true;
}

std::int64_t choices(std::int64_t count, int size) {
    double total = 1;
    for (int i = 0; i < size; ++i) total *= static_cast<double>(count - i) / (i + 1);
    return static_cast<std::int64_t>(std::min(total + 0.5, 1e15));
}

struct Lacking {
    int missing, counted;
};

// The bits of the query that the target lacks, how many these are, and how many of those that cost an edit each: a
// node label that is lacking takes an edit of a node, an edge label one of an edge, and so they add up.
PRUNE4SED_HOT Lacking subtract(const std::uint64_t* query, const std::uint64_t* target, std::uint64_t* lacking) {
    int missing = 0, counted = 0;
    for (int w = 0; w < kFingerprintWords; ++w) {
        lacking[w] = query[w] & ~target[w];
        missing += std::popcount(lacking[w]);
    }
    for (int w = 0; w < kCountedWords; ++w) counted += std::popcount(lacking[w]);
    return {missing, counted};
}

// Whether every set of edits leaves one of the lacking bits. A few bits mostly do, so they are taken one by one.
PRUNE4SED_HOT bool all_ruled_out(const std::uint64_t* lacking, const std::uint16_t* row_of_bit,
                                 const std::uint64_t* needed, int words) {
    std::array<std::uint64_t, kMostWords> ruled_out;
    std::fill_n(ruled_out.begin(), words, 0);
    for (int w = 0; w < kFingerprintWords; ++w)
        for (std::uint64_t bits = lacking[w]; bits; bits &= bits - 1) {
            const std::uint64_t* row = needed + static_cast<std::size_t>(row_of_bit[64 * w + std::countr_zero(bits)]) * words;
            std::uint64_t common = ~std::uint64_t{0};
            for (int k = 0; k < words; ++k) common &= ruled_out[k] |= row[k];
            if (common == ~std::uint64_t{0}) return true;
        }
    return false;
}

}  // namespace

EditBits::EditBits(const HashedGraph& query) : graph_(query), row_of_bit_(64 * kFingerprintWords, 0) {
    query_ = fingerprinter_.of(query);
    pieces_ = fingerprinter_.pieces();
    std::uint16_t row = 0;
    for (int bit = 0; bit < 64 * kFingerprintWords; ++bit)
        if (query_[bit / 64] >> (bit % 64) & 1) row_of_bit_[bit] = row++;
}

bool EditBits::prepare(int edits) {
    const int count = static_cast<int>(graph_.labels.size() + graph_.edges.size());
    while (static_cast<int>(levels_.size()) < edits) {
        const int size = static_cast<int>(levels_.size()) + 1;
        const std::int64_t sets = choices(count, size);
        if (size > count || sets > 64 * kMostWords || sets * pieces_ > kMostPiecesInAll) return false;
        std::vector<int> chosen(size);
        for (int i = 0; i < size; ++i) chosen[i] = i;
        std::vector<Fingerprint> left;
        do left.push_back(fingerprinter_.of(edited(graph_, chosen)));
        while (advance(chosen, count));
        add_level(left);
    }
    return true;
}

void EditBits::add_level(const std::vector<Fingerprint>& left) {
    Level level;
    level.words = static_cast<int>((left.size() + 63) / 64);
    int rows = 0;
    for (const std::uint64_t word : query_) rows += std::popcount(word);
    level.needed.assign(static_cast<std::size_t>(rows) * level.words, 0);
    for (std::size_t set = 0; set < left.size(); ++set)
        for (int w = 0; w < kFingerprintWords; ++w)
            // The edits only take away, so the bits that are left are bits of the query.
            for (std::uint64_t bits = left[set][w] & query_[w]; bits; bits &= bits - 1) {
                const int row = row_of_bit_[64 * w + std::countr_zero(bits)];
                level.needed[static_cast<std::size_t>(row) * level.words + set / 64] |= std::uint64_t{1} << (set % 64);
            }
    // Sets beyond the last: ruled out by any bit at all.
    if (left.size() % 64)
        for (int row = 0; row < rows; ++row)
            level.needed[static_cast<std::size_t>(row + 1) * level.words - 1] |= ~std::uint64_t{0} << (left.size() % 64);
    levels_.push_back(std::move(level));
}

EditBits::Bound EditBits::bound(const std::uint64_t* target, int most_edits) const {
    Fingerprint lacking;
    const auto [missing, counted] = subtract(query_.data(), target, lacking.data());
    if (missing == 0) return {0, 0};
    int lower = 1;
    const auto tried = std::min<std::size_t>(most_edits, levels_.size());
    while (lower <= static_cast<int>(tried) &&
           all_ruled_out(lacking.data(), row_of_bit_.data(), levels_[lower - 1].needed.data(), levels_[lower - 1].words))
        ++lower;
    return {std::max(lower, counted), missing};
}

}  // namespace prune4sed
