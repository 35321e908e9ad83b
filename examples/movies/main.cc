// Recommends movies: two towers with embedding tables over eight TPU cores.
//
//   movies --data ml-100k --epochs 5        MovieLens: u.data, ratings.dat or ratings.csv
//
// Ratings -> a batch's users, what each watched before, and the movie they rated next -> vectors of
// both -> each user must fit their own movie better than the others' -> recall@10 of each user's
// last movie, which was held back -> saved, loaded, asked again. Without --data ratings are drawn.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "examples/common/command_line.h"
#include "examples/movies/two_towers.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string data, cache = ".cache/movies", json;
  int64_t epochs = 6, batch = 128, users = 600, movies = 400, watched = 20, smoke = 0;
  double learning_rate = 1, target = -1;
  uint64_t seed = 1;
};

void add_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator positive = examples::at_least(1);
  app.add_option("--data", arguments.data, "MovieLens' ratings: a file, or the folder of it");
  app.add_option("--cache", arguments.cache, "where the weights go")->capture_default_str();
  app.add_option("--epochs", arguments.epochs)->capture_default_str()->check(positive);
  app.add_option("--batch", arguments.batch, "global batch: of all cores together")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--users", arguments.users, "to draw without --data")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--movies", arguments.movies, "to draw without --data")
      ->capture_default_str()
      ->check(examples::at_least(100));
  app.add_option("--watched", arguments.watched, "how many movies before a rating count")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--learning-rate", arguments.learning_rate, "of the tables")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--seed", arguments.seed, "of weights and drawn ratings")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--json", arguments.json, "write the results to this file");
  app.add_option("--target", arguments.target, "exit code 1 below this recall@10")
      ->check(CLI::Range(-1.0, 1.0));
  app.add_option("--smoke", arguments.smoke, "only this many steps, for a quick check")
      ->check(positive);
}

examples::TwoTowers new_towers(const TPUStrategy& strategy, const examples::Ratings& ratings,
                               const Arguments& arguments) {
  set_seed(arguments.seed);
  return strategy.scope([&] {
    examples::TwoTowers towers =
        examples::make_towers(ratings.users, ratings.movies, arguments.learning_rate);
    towers.model.compile({.optimizer = Adam{.learning_rate = 1e-3},
                          .loss = SparseCategoricalCrossentropy{.from_logits = true},
                          .metrics = {}});
    return towers;
  });
}

int run(const Arguments& arguments) {
  const examples::Ratings ratings =
      arguments.data.empty()
          ? examples::draw_ratings(arguments.users, arguments.movies, arguments.seed)
          : examples::read_ratings(arguments.data);
  const examples::WatchingSplit split = examples::split_ratings(ratings, arguments.watched);
  std::cout << ratings.all.size() << (arguments.data.empty() ? " drawn" : "") << " ratings of "
            << ratings.movies << " movies by " << ratings.users << " users\n";
  const TPUClusterResolver resolver("local");
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  examples::TwoTowers towers = new_towers(strategy, ratings, arguments);
  const auto batches =
      examples::batches_of(split.train, towers, arguments.batch, arguments.watched);
  FitOptions options{.epochs = static_cast<int>(arguments.smoke > 0 ? 1 : arguments.epochs),
                     .validation_steps = arguments.smoke > 0 ? arguments.smoke : -1};
  if (examples::is_watched()) {
    options.validation_data =
        examples::batches_of(split.test, towers, arguments.batch, arguments.watched);
  }
  const History history =
      towers.model.fit(arguments.smoke > 0 ? batches.take(arguments.smoke) : batches, options);
  const double recall = examples::recall_at_10(towers, split.test, ratings, arguments.watched);

  std::filesystem::create_directories(arguments.cache);
  const std::string file = arguments.cache + "/towers.safetensors";
  towers.model.save_weights(file);
  examples::TwoTowers loaded = new_towers(strategy, ratings, arguments);
  loaded.model.load_weights(file);
  const double again = examples::recall_at_10(loaded, split.test, ratings, arguments.watched);
  std::cout << "recall@10 of each user's last movie: " << fixed(recall, 3) << "; by chance "
            << fixed(10.0 / static_cast<double>(ratings.movies), 3) << "; loaded from " << file
            << ": " << fixed(again, 3) << std::endl;
  if (!arguments.json.empty()) {
    const nlohmann::json json{{"recall_at_10", recall}, {"losses", history.step_losses}};
    io::write_file(arguments.json, json.dump(2) + "\n");
  }
  return recall == again && recall >= arguments.target ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Recommends movies by two towers with embedding tables.");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] { return run(arguments); });
}
