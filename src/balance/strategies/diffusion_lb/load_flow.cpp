#include "balance/strategies/diffusion_lb/load_flow.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Conjugate gradients converge in as many iterations as the graph of ranks has distinct eigenvalues; a cube
/// of 50^3 ranks needs about 150.
constexpr std::int32_t max_iterations = 1000;
/// Excess, relative to the largest one, that a rank may keep.
constexpr double sufficient_excess = 1e-3;

/// State of one rank in pipelined conjugate gradients; names as in Ghysels and Vanroose, algorithm 4.
struct Potential {
  double x = 0;  ///< potential
  double r = 0;  ///< excess that remains
  double w = 0;  ///< A r
  double p = 0;  ///< direction of search
  double s = 0;  ///< A p
  double z = 0;  ///< A s
};

/// Returns row `self` of the Laplace matrix times the values of which the ranks have sent theirs.
double laplacian(double self, const std::vector<RankLink>& links, Inbox received) {
  double sum = 0;
  for (std::size_t i = 0; i < links.size(); ++i)
    sum += links[i].weight * (self - received[i].items<double>().front());
  return sum;
}

void send_to_all(double value, const std::vector<RankLink>& links, Outbox& outbox) {
  for (const RankLink& link : links) outbox.send(link.rank, std::span<const double>(&value, 1));
}

class FlowSolver {
 public:
  FlowSolver(RankRounds& rounds, std::span<std::vector<RankLink>> links)
      : rounds_(rounds), links_(links), potentials_(links.size()), values_(links.size()) {}

  void solve(std::span<const double> excesses) {
    start(excesses);
    double gamma_before = 0;
    double alpha = 0;
    for (std::int32_t iteration = 0; iteration < max_iterations; ++iteration) {
      const double gamma = sum([](const Potential& rank) { return rank.r * rank.r; });
      if (iteration == 0) enough_ = sufficient_excess * sufficient_excess * gamma;
      if (gamma <= enough_) break;
      const double delta = sum([](const Potential& rank) { return rank.w * rank.r; });
      const double beta = iteration == 0 ? 0 : gamma / gamma_before;
      alpha = gamma / (iteration == 0 ? delta : delta - beta * gamma / alpha);
      gamma_before = gamma;
      if (!std::isfinite(alpha)) break;
      advance(alpha, beta);
    }
    set_flows_of_links();
  }

 private:
  void start(std::span<const double> excesses) {
    rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
      potentials_[at(local)].r = excesses[at(local)];
      send_to_all(excesses[at(local)], links_[at(local)], outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      Potential& rank = potentials_[at(local)];
      rank.w = laplacian(rank.r, links_[at(local)], received);
      send_to_all(rank.w, links_[at(local)], outbox);
    });
  }

  void advance(double alpha, double beta) {
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      Potential& rank = potentials_[at(local)];
      const double q = laplacian(rank.w, links_[at(local)], received);
      rank.z = q + beta * rank.z;
      rank.s = rank.w + beta * rank.s;
      rank.p = rank.r + beta * rank.p;
      rank.x += alpha * rank.p;
      rank.r -= alpha * rank.s;
      rank.w -= alpha * rank.z;
      send_to_all(rank.w, links_[at(local)], outbox);
    });
  }

  void set_flows_of_links() {
    rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
      send_to_all(potentials_[at(local)].x, links_[at(local)], outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
      std::vector<RankLink>& links = links_[at(local)];
      for (std::size_t i = 0; i < links.size(); ++i)
        links[i].flow = links[i].weight * (potentials_[at(local)].x - received[i].items<double>().front());
    });
  }

  template <typename Value>
  double sum(const Value& value) {
    std::ranges::transform(potentials_, values_.begin(), value);
    return rounds_.sum(values_);
  }

  RankRounds& rounds_;
  std::span<std::vector<RankLink>> links_;
  std::vector<Potential> potentials_;
  std::vector<double> values_;
  double enough_ = 0;
};

}  // namespace

void set_flows(RankRounds& rounds, std::span<const double> excesses, std::span<std::vector<RankLink>> links) {
  FlowSolver(rounds, links).solve(excesses);
}

}  // namespace plimsoll::balance
