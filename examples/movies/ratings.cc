#include "examples/movies/ratings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/base/text.h"
#include "systolic/io/files/file.h"

namespace examples {

using namespace systolic;

namespace {

std::string ratings_file(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* name : {"u.data", "ratings.dat", "ratings.csv"}) {
    const std::string file = path + "/" + name;
    if (std::filesystem::exists(file)) return file;
  }
  raise<NotFound>({.what = str("no ratings in '", path, "'"),
                   .wanted = "u.data, ratings.dat or ratings.csv, as MovieLens has them"});
}

std::vector<std::string_view> split_at(std::string_view line, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = line.find(separator)) != std::string_view::npos;) {
    parts.push_back(line.substr(0, end));
    line.remove_prefix(end + separator.size());
  }
  parts.push_back(line);
  return parts;
}

bool read_rating(std::string_view line, Rating& rating) {
  const char* separator = line.find('\t') != std::string_view::npos   ? "\t"
                          : line.find("::") != std::string_view::npos ? "::"
                                                                      : ",";
  const auto parts = split_at(line, separator);
  return parts.size() == 4 && parse_number(parts[0], rating.user) &&
         parse_number(parts[1], rating.movie) && parse_number(parts[2], rating.rating) &&
         parse_number(parts[3], rating.time);
}

void sort_by_time(Ratings& ratings) {
  std::stable_sort(ratings.all.begin(), ratings.all.end(), [](const Rating& a, const Rating& b) {
    return std::pair(a.user, a.time) < std::pair(b.user, b.time);
  });
}

int64_t number_of(std::map<int64_t, int64_t>& numbers, int64_t id) {
  return numbers.emplace(id, static_cast<int64_t>(numbers.size())).first->second;
}

}  // namespace

Ratings read_ratings(const std::string& path) {
  const std::string file = ratings_file(path);
  const std::string text = io::read_file(file);
  Ratings ratings;
  std::map<int64_t, int64_t> users, movies;
  int64_t number = 0;
  for (std::string_view line : split_at(text, "\n")) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("userId"))) continue;
    Rating rating;
    if (!read_rating(line, rating)) {
      raise<InvalidArgument>({.what = str(file, ", line ", number, ": ", excerpt(line, 100)),
                              .wanted = "user, movie, rating and time"});
    }
    rating.user = number_of(users, rating.user);
    rating.movie = number_of(movies, rating.movie);
    ratings.all.push_back(rating);
  }
  ratings.users = static_cast<int64_t>(users.size());
  ratings.movies = static_cast<int64_t>(movies.size());
  sort_by_time(ratings);
  return ratings;
}

Ratings draw_ratings(int64_t users, int64_t movies, uint64_t seed) {
  constexpr int64_t genres = 8, each = 30;
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  Ratings ratings{.all = {}, .users = users, .movies = movies};
  const int64_t of_genre = std::max<int64_t>(1, movies / genres);
  for (int64_t user = 0; user < users; ++user) {
    const int64_t liked[] = {below(genres), below(genres)};
    std::set<int64_t> seen;
    for (int64_t tries = 0; static_cast<int64_t>(seen.size()) < each && tries < 100 * each;
         ++tries) {
      const bool any = below(10) == 0;
      const int64_t genre = any ? below(genres) : liked[below(2)];
      // The smaller of two: the first of a genre are liked most.
      const int64_t movie = std::min(below(of_genre), below(of_genre)) * genres + genre;
      if (movie >= movies || !seen.insert(movie).second) continue;
      ratings.all.push_back({user, movie, any ? 3.0 : 5.0, static_cast<int64_t>(seen.size())});
    }
  }
  sort_by_time(ratings);
  return ratings;
}

WatchingSplit split_ratings(const Ratings& ratings, int64_t most_watched) {
  WatchingSplit split;
  const std::vector<Rating>& all = ratings.all;
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    for (end = begin; end < all.size() && all[end].user == all[begin].user;) ++end;
    for (size_t i = begin; i < end; ++i) {
      Watching one{.user = all[i].user, .movie = all[i].movie, .watched = {}};
      for (size_t k = i; k > begin && static_cast<int64_t>(one.watched.size()) < most_watched; --k)
        one.watched.push_back(all[k - 1].movie);
      (i + 1 == end && end - begin > 1 ? split.test : split.train).push_back(std::move(one));
    }
  }
  return split;
}

}  // namespace examples
